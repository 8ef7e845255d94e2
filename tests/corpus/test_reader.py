"""Measuring agrees with a plain reader on rollouts that nobody wrote by hand."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from ostinato.corpus import measure
from tests.corpus.reader import codex

HEAD = b'{"type":"session_meta","payload":{"id":"s"}}\n'

words = st.text('abcXYZ09+/_-= "\\\n\u00e9\U0001f600', max_size=12)
states = st.one_of(
    st.none(),
    st.just(""),
    words,
    st.integers(0, 3).map(lambda number: "gAAAAAB" + "abcd"[number] * 120),
    st.sampled_from(["a", "bc=", "d/+_"]).map(lambda text: text * 30),
)
others = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=5,
)
parts = st.one_of(
    others,
    st.fixed_dictionaries({"type": st.just("encrypted_content")}, optional={"encrypted_content": states}),
    st.fixed_dictionaries({"type": st.just("input_text"), "text": words}),
)
items = st.fixed_dictionaries(
    {"type": st.sampled_from(["reasoning", "compaction", "message", "agent_message", "function_call_output"])},
    optional={
        "id": st.sampled_from(["", "rs_1", "rs_2"]),
        "summary": st.lists(st.fixed_dictionaries({"type": st.just("summary_text"), "text": words}), max_size=2),
        "content": st.one_of(st.lists(parts, max_size=3), others),
        "encrypted_content": states,
        "role": st.sampled_from(["user", "assistant"]),
        "extra": others,
    },
)
records = st.one_of(
    st.fixed_dictionaries({"type": st.just("response_item"), "payload": items}),
    st.fixed_dictionaries(
        {
            "type": st.just("compacted"),
            "payload": st.fixed_dictionaries({"replacement_history": st.lists(items, max_size=3)}),
        }
    ),
    st.fixed_dictionaries({"payload": items, "type": st.just("response_item")}),
    st.fixed_dictionaries({"type": st.sampled_from(["event_msg", "turn_context"]), "payload": others}),
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line: a record or two in some spelling, cut or broken now and then."""
    found = draw(st.lists(records, min_size=1, max_size=2))
    spaced, ascii_only = draw(st.booleans()), draw(st.booleans())
    separators = None if spaced else (",", ":")
    text = " ".join(json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in found)
    line = text.encode()
    damage = draw(st.sampled_from(["", "", "", "", "cut", "byte", "blank"]))
    if damage == "cut":
        return line[: draw(st.integers(0, len(line)))]
    if damage == "byte":
        at = draw(st.integers(0, len(line) - 1))
        return line[:at] + draw(st.sampled_from([b"\xff", b"x", b'"', b"\\", b""])) + line[at + 1 :]
    return b"  \t" if damage == "blank" else line


def measured(content: bytes) -> dict[str, Any]:
    """What ostinato measures of a file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollout.jsonl"
        path.write_bytes(content)
        [file] = measure(path, timing=False, threads=1).files
        return file


@given(st.lists(lines(), max_size=6).map(b"\n".join))
@example(b'{"type":"response_item","payload":{"type":"reasoning","encrypted_content":"a","encrypted_content":"b"}}')
def test_a_plain_reader_counts_the_same(content: bytes) -> None:
    """Items, state, ids, repeats, records and what is unreadable."""
    found = measured(HEAD + content)
    assume("lone_surrogate" not in found["problems"])  # Python has texts for these, Rust has none
    expected = codex(HEAD + content)
    assert {name: found[name] for name in expected} == expected
