"""Logs of OpenAI Responses traffic."""

import json
from typing import Any

import ostinato


def asked(text: str) -> dict[str, Any]:
    """What a user says."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def thought(name: str, **more: Any) -> dict[str, Any]:
    """A reasoning item."""
    return {"type": "reasoning", "id": f"rs_{name}", "summary": [], "encrypted_content": f"gAAAAA-{name}", **more}


def said(name: str, **more: Any) -> dict[str, Any]:
    """An answer."""
    content = [{"type": "output_text", "text": "done", "annotations": []}]
    return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content, **more}


def response(name: str, *output: Any, **more: Any) -> dict[str, Any]:
    """A response body."""
    usage = {"input_tokens": 5, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}}
    return {"id": f"resp_{name}", "object": "response", "model": "m-1", "output": list(output), "usage": usage, **more}


def entry(given: Any, answered: Any, **more: Any) -> dict[str, Any]:
    """An entry of a log."""
    return {"request": {"model": "m", "store": False, "input": given}, "response": answered, **more}


def lines(*records: Any) -> bytes:
    """A file of these records."""
    return "\n".join(json.dumps(record) for record in records).encode()


def test_load_responses_log() -> None:
    """In a log each turn repeats all earlier input: new state is only in the output, without its status."""
    given = [asked("q"), thought("1"), said("1")]
    loaded = ostinato.load(lines(entry(given, response("2", thought("2", status="completed"), said("2")))))
    assert loaded.items == [*given, thought("2"), said("2")]
    paths = [sources[0].path for sources in loaded.sources]
    assert paths == [*(f"request/input/{place}" for place in range(3)), "response/output/0", "response/output/1"]
    turn = loaded.turns[-1]
    assert (turn.id, turn.origin, turn.usage) == (
        "resp_2",
        ostinato.Origin(model="m-1"),
        {"input_tokens": 5, "output_tokens": 7},
    )


def test_entries_of_one_conversation_are_one() -> None:
    """The last request holds all that was said; who made it is known from the response it came in."""
    first = entry([asked("q")], response("1", thought("1"), said("1")), url="https://api.openai.com/v1/responses")
    second = entry([asked("q"), thought("1"), said("1"), asked("r")], response("2", thought("2"), said("2")))
    for data in (lines(first, second), json.dumps([first, second], indent=1).encode()):
        loaded = ostinato.load(data)
        assert [item.get("id") for item in loaded.items] == [None, "rs_1", "msg_1", None, "rs_2", "msg_2"]
        assert loaded.origins[1] == ostinato.Origin("openai", "api.openai.com", None, "m-1")
        assert (loaded.report.findings, loaded.report.used) == ((), 2)


def test_reasoning_that_was_not_sent_back_is_named() -> None:
    """Losing it is silent on the wire; the log shows it."""
    first = entry([asked("q")], response("1", thought("1"), said("1")))
    second = entry([asked("q"), said("1"), asked("r")], response("2", said("2")))
    loaded = ostinato.load(lines(first, second))
    assert [(finding.code, finding.path) for finding in loaded.report.findings] == [
        ("output_not_sent_back", "response/output/0")
    ]


def test_items_sent_back_in_another_form_are_not_lost() -> None:
    """Clients leave ids out, and write messages anew."""
    first = entry([asked("q")], response("1", thought("1"), said("1")))
    bare = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA-1"}
    second = entry([asked("q"), bare, {"role": "assistant", "content": "done"}, asked("r")], response("2", said("2")))
    loaded = ostinato.load(lines(first, second))
    assert not loaded.report.findings
    assert loaded.origins[1] == ostinato.Origin(model="m-1")


def test_a_chained_request_goes_on_with_the_response_it_names() -> None:
    """With `previous_response_id` the input holds the new items alone."""
    first = entry([asked("q")], response("1", thought("1"), said("1")))
    second = entry([asked("r")], response("2", said("2")))
    second["request"]["previous_response_id"] = "resp_1"
    loaded = ostinato.load(lines(first, second))
    assert [item.get("id") for item in loaded.items] == [None, "rs_1", "msg_1", None, "msg_2"]


def test_conversations_that_do_not_repeat_each_other_stay_apart() -> None:
    """A log of a proxy holds those of many."""
    found = ostinato.load_all(
        lines(entry([asked("a")], response("1", said("1"))), entry([asked("b")], response("2", said("2"))))
    )
    assert [conversation.session for conversation in found] == ["resp_1", "resp_2"]


def test_bodies_alone_and_lists_of_items_load() -> None:
    """A request, a response, items, and a request whose input is a text."""
    assert ostinato.load(lines({"model": "m", "input": [asked("q"), thought("1")]})).items == [asked("q"), thought("1")]
    assert ostinato.load(lines(response("1", thought("1"), said("1")))).items == [thought("1"), said("1")]
    assert ostinato.load(lines([asked("q"), thought("1")])).items == [asked("q"), thought("1")]
    loaded = ostinato.load(lines({"model": "m", "input": "q", "instructions": "Be brief.", "store": False}))
    assert (loaded.items, loaded.system) == ([asked("q")], "Be brief.")


def test_bodies_in_text_load() -> None:
    """Recorders keep bodies as JSON text."""
    recorded = {"request": {"body": json.dumps({"model": "m", "input": [asked("q")]})}}
    assert ostinato.load(lines(recorded)).items == [asked("q")]


def test_a_stream_gives_the_items_that_were_complete() -> None:
    """The stub of the added event is never taken, nor is what the stream was cut in."""
    events = [
        {"type": "response.created", "response": response("1")},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": thought("1", encrypted_content="gAAAAA-stub"),
        },
        {"type": "response.output_item.done", "output_index": 0, "item": thought("1")},
        {"type": "response.output_item.done", "output_index": 1, "item": said("1")},
        {"type": "response.completed", "response": response("1", thought("1"), said("1"))},
    ]
    for data in (lines(*events), "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()):
        loaded = ostinato.load(data)
        assert loaded.items == [thought("1"), said("1")]
        assert loaded.report.records == 5
        assert loaded.session == "resp_1"
    cut = ostinato.load(lines(*events[:2]))
    assert not cut.items
    assert cut.report.counts == {"incomplete_stream": 1}


def test_plain_reasoning_of_open_weights_is_kept() -> None:
    """A server that sends the text itself has no ciphertext, and that is sound."""
    plain = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "t"}]}
    loaded = ostinato.load(lines(response("1", {**plain, "status": "completed"}, said("1"))))
    assert loaded.items[0] == plain
    assert not loaded.report.findings


def test_items_of_unknown_types_are_kept_and_named() -> None:
    """The provider made them, so it takes them back."""
    loaded = ostinato.load(lines(response("1", {"type": "hologram", "id": "h_1"}, said("1"))))
    assert loaded.items[0] == {"type": "hologram", "id": "h_1"}
    assert loaded.report.counts == {"unknown_item_type": 1}
