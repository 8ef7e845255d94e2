"""From saved messages to the items of one wire: the wire of the conversation's last answer."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ostinato.saved.conversation import Conversation, Source
from ostinato.saved.draft import Draft
from ostinato.saved.native import anthropic, bedrock, chat, gemini, responses
from ostinato.saved.native.writer import Writer
from ostinato.saved.parts import Call, Media, Message, Native, Part, Text, Thinking

__all__ = ["WRITERS", "conversation", "wire_of"]

Json = dict[str, Any]

WRITERS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        "anthropic-messages": anthropic.WRITER,
        "bedrock-converse": bedrock.WRITER,
        "gemini-generate-content": gemini.WRITER,
        "openai-chat": chat.WRITER,
        "openai-responses": responses.WRITER,
    }
)
"""One line per wire."""


class _Made(NamedTuple):
    item: Json
    message: Message
    sources: tuple[Source, ...]


def wire_of(messages: Sequence[Message]) -> str | None:
    """The wire of the last answer; None where no model has answered yet."""
    return next((said.wire for said in reversed(messages) if said.wire in WRITERS), None)


def conversation(messages: Sequence[Message], draft: Draft) -> Conversation:
    """The messages as native items. State of turns that another wire made is a finding, their visible content stays.

    Args:
        messages: in order.
        draft: the conversation so far; its wire is the one that counts where no model has answered yet.
    """
    draft.wire = wire_of(messages) or draft.wire
    writer = WRITERS[draft.wire]
    made: list[_Made] = []
    system: list[Text] = []
    for message in messages:
        own = message._replace(parts=[*_own(message, draft.wire, draft)])
        if not message.parts:
            draft.say("empty_message", message.path, line=message.line, records=message.records)
            continue
        draft.used += message.records
        if own.role in {"system", "developer"} and writer.system is not None:
            system += _instructions(own, draft, late=bool(made))
            continue
        for item in writer.write(own, draft):
            _add(made, _Made(item, own, (message.source,) if message.source else ()), writer)
    if system and writer.system is not None:
        draft.system = writer.system(system)
    for item, message, sources in made:
        draft.add(item, message.role, *sources, origin=message.origin, id=message.id, usage=message.usage)
    return draft.conversation()


def _add(made: list[_Made], new: _Made, writer: Writer) -> None:
    """The next item; where a wire wants all results of an answer in one message, joined to the one before."""
    last = made[-1] if made else None
    if last is not None and writer.join is not None and last.message.role == new.message.role == "tool":
        made[-1] = _Made(writer.join(last.item, new.item), last.message, last.sources + new.sources)
    else:
        made.append(new)


def _instructions(message: Message, draft: Draft, *, late: bool) -> Iterator[Text]:
    """Instructions, for wires that have a place of their own for them."""
    for part in message.parts:
        if isinstance(part, Text):
            if late:
                draft.say("instructions_moved", part.path, line=message.line)
            yield part
        else:
            draft.say("unknown_part", part.path, line=message.line)


def _own(message: Message, wire: str, draft: Draft) -> Iterator[Part]:
    """What of a message can be said on a wire: all of it if it is the wire's own, else what is visible."""
    foreign = message.wire not in {None, wire}
    for part in message.parts:
        if isinstance(part, Native) and part.wire != wire:
            draft.say("other_wire", part.path, line=message.line, wire=part.wire)
        elif not foreign or isinstance(part, Native):
            yield part
        elif isinstance(part, Thinking):
            draft.say("other_wire", part.path, line=message.line, wire=str(message.wire))
        else:
            if isinstance(part, Text | Call | Media) and part.state:
                draft.say("other_wire", part.path, line=message.line, wire=str(message.wire))
            yield _bare(part)


def _bare(part: Part) -> Part:
    """A part without what only the wire that made it can read."""
    match part:
        case Text():
            return Text(part.path, part.text)
        case Call():
            return Call(part.path, part.id, part.name, part.arguments)
        case Media():
            return part._replace(state=None)
    return part
