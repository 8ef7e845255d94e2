"""Events of structlog come out without state."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog
from structlog.testing import CapturingLogger

from ostinato import privacy
from tests.privacy.state import MARKER, STATE
from tests.security.canary import ITEM, PLAIN, STORED


def shown(*processors: Any, **options: Any) -> tuple[Any, CapturingLogger]:
    """A logger with the processor before a renderer, and what is rendered."""
    out = CapturingLogger()
    chain = [privacy.RedactingProcessor(**options), *processors]
    return structlog.wrap_logger(out, processors=chain, wrapper_class=structlog.BoundLogger), out


def fail() -> None:
    """Raise an error that quotes state."""
    raise ValueError(f"bad {STATE}")


@pytest.mark.parametrize(
    "render", [structlog.processors.JSONRenderer(default=repr), structlog.processors.KeyValueRenderer()]
)
def test_no_state_in_an_event(render: Any) -> None:
    """Neither the event nor any of its values shows state, in any form and under any name."""
    log, out = shown(render)
    log.bind(request={"input": [ITEM]}).info(f"sent {STORED}", body=STORED.encode(), encrypted_content=PLAIN, said="hi")
    log.info("got", items=[ITEM], error=ValueError(STATE), nested={"a": {"b": STORED}})
    assert MARKER not in repr(out.calls)
    assert "hi" in repr(out.calls)


@pytest.mark.parametrize("after", [[], [structlog.processors.format_exc_info], [structlog.processors.dict_tracebacks]])
@pytest.mark.parametrize("form", ["true", "exception", "tuple"])
def test_no_state_in_an_exception(after: list[Any], form: str) -> None:
    """An exception becomes redacted text, before others show the locals of its frames."""
    log, out = shown(*after, structlog.processors.JSONRenderer(default=repr))
    try:
        fail()
    except ValueError as error:
        info = {"true": True, "exception": error, "tuple": (type(error), error, error.__traceback__)}[form]
        log.error(  # noqa: TRY400 - `exc_info` is what is tested
            "failed", exc_info=info, state=ITEM
        )
    assert MARKER not in repr(out.calls)
    assert "ValueError: bad [redacted" in repr(out.calls)


def test_an_event_without_state_stays() -> None:
    """Values without state are the same objects."""
    given = {"a": [1, "x"]}
    event = privacy.RedactingProcessor()(None, "info", {"event": "done", "given": given, "exc_info": False})
    assert event == {"event": "done", "given": given}
    assert event["given"] is given


def test_records_of_logging_that_structlog_formats() -> None:
    """The record that `ProcessorFormatter` hands on is redacted, too."""
    record = logging.makeLogRecord({"msg": "got %s", "args": (STORED,)})
    event = privacy.RedactingProcessor()(None, "info", {"event": STORED, "_record": record})
    assert MARKER not in repr(event) + repr(vars(record))


def test_reasoning_text_may_stay() -> None:
    """By choice reasoning text stays."""
    log, out = shown(structlog.processors.KeyValueRenderer(), reasoning_text=False)
    log.info(
        "got",
        item={"type": "reasoning", "summary": [{"type": "summary_text", "text": "Plan."}]}
        | {"encrypted_content": STATE},
    )
    assert "Plan." in repr(out.calls)
    assert MARKER not in repr(out.calls)
