"""The exception tree.

A `ReplayError` names a rule and a place, never the input: its text can go into any log.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from ostinato._core import redact_text
from ostinato.error_codes import ERROR_CODES, STORE_CODES
from ostinato.names import printable

__all__ = [
    "ERROR_CODES",
    "ApiKeyRequiredError",
    "ConcurrentCallError",
    "DebugBuildWarning",
    "EmptyResponseError",
    "IncompleteStreamError",
    "InvalidMessageError",
    "OstinatoError",
    "PrefixChangedError",
    "PrefixChangedWarning",
    "PrepareError",
    "ProviderStreamError",
    "RefusalError",
    "ReplayError",
    "RoutingError",
    "SessionFormatError",
    "SessionLockedError",
    "SessionNameError",
    "SessionNotFoundError",
    "SessionWriteError",
    "StoreError",
    "StreamProtocolError",
    "ToolCallArgumentParseError",
    "TurnError",
    "UnknownEventError",
    "UnsafePathError",
    "UnsupportedContentError",
    "UnsupportedOperationError",
    "UnsupportedParameterError",
    "UpstreamError",
]


class OstinatoError(Exception):
    """Everything that ostinato raises on purpose. Its text is one line of printable characters."""

    def __init_subclass__(cls) -> None:
        """Hold the texts of every class below to the same: names from outside forge no line of a log."""
        super().__init_subclass__()
        if "__str__" in vars(cls):
            cls.__str__ = _printable(cls.__str__)  # type: ignore[method-assign]

    def __str__(self) -> str:
        return printable(super().__str__())


def _printable(write: Callable[[Any], str]) -> Callable[[Any], str]:
    @wraps(write)
    def text(error: object) -> str:
        return printable(write(error))

    return text


class ReplayError(OstinatoError, ValueError):
    """An item, an envelope or a record that was refused.

    Attributes:
        code: why, a key of `ERROR_CODES`.
        path: where, such as `item/summary/0/text`; empty for the input as a whole.
        offset: byte offset in the JSON text, or the index of the character in a `str` of an object; None if unknown.
    """

    def __init__(self, code: str, path: str = "", offset: int | None = None) -> None:
        super().__init__(code, path, offset)
        self.code = code
        self.path = path
        self.offset = offset

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        offset = f" (offset {self.offset})" if self.offset is not None else ""
        return f"{self.code}{place}{offset}: {ERROR_CODES.get(self.code, 'refused')}"


class PrepareError(OstinatoError, ValueError):
    """A request that the provider would refuse, found before it is sent.

    Attributes:
        code: why, a key of `ostinato.DECISION_CODES`.
        path: where, such as `messages/1`.
        decision: the whole `ostinato.Decision`.
        report: the `ostinato.ReplayReport` up to here.
        advice: what to do next.
    """

    def __init__(self, decision: Any, report: Any, advice: str = "") -> None:  # noqa: ANN401 - types of `ostinato.policy`, which lies above
        super().__init__(decision, report, advice)
        self.decision = decision
        self.report = report
        self.advice = advice
        self.code: str = decision.code
        self.path: str = decision.path

    def __str__(self) -> str:
        return f"{self.decision}: {self.advice}"


class StoreError(OstinatoError):
    """Something a store of sessions refused or could not do. Holds names of files, and no content.

    Attributes:
        code: why, a key of `ERROR_CODES`.
        path: the file or folder.
        reason: the system's name of the error (`ENOSPC`), or the codec's code; None where there is none.
        advice: what to do next.
    """

    def __init__(self, code: str, path: object = "", reason: str | None = None) -> None:
        super().__init__(code, str(path), reason)
        self.code = code
        self.path = str(path)
        self.reason = reason

    @property
    def advice(self) -> str:
        """What to do next."""
        return STORE_CODES.get(self.code, ("", ""))[1]

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        reason = f" ({self.reason})" if self.reason else ""
        meaning, advice = STORE_CODES.get(self.code, ("refused", ""))
        return printable(f"{self.code}{place}{reason}: {meaning}; {advice}")


class UnsafePathError(StoreError):
    """A path others may have laid: `symlink`, `hard_link`, `foreign_owner`, `not_a_regular_file`, `folder_open`."""


class SessionNameError(StoreError, ValueError):
    """A name that is none, or is taken: `name_invalid`, `session_exists`. It is not repeated."""


class SessionNotFoundError(StoreError, LookupError):
    """`session_missing`."""


class SessionFormatError(StoreError):
    """A file that is not read: `header_unreadable`, `schema_unknown`, `version_unknown`, `migration_missing`."""


class SessionLockedError(StoreError):
    """Another writer has the session: `session_locked`, `locked_elsewhere`, `session_attached`, `lock_unsupported`.

    Attributes:
        owner: pid, host and start of the process that has it, as far as it is known.
    """

    def __init__(self, code: str, path: object = "", reason: str | None = None, owner: Any = None) -> None:  # noqa: ANN401 - a type of `ostinato.store`, which lies above
        super().__init__(code, path, reason)
        self.args = (code, str(path), reason, owner)
        self.owner = owner


class SessionWriteError(StoreError):
    """A turn that was not written: `turn_not_written`, `turn_too_large`, `message_not_storable`, `session_closed` ...

    After `turn_unconfirmed` the turn may be on the disk; after every other code it is not. It is never in the history.
    """


class TurnError(OstinatoError, ValueError):
    """A turn of a conversation that could not be sent, or was not received.

    The text of these errors never quotes a message: what they are about is in their fields.

    Attributes:
        client: the client type, such as `openai-official`; None where no client is involved yet.
    """

    def __init__(self, text: str, client: str | None = None) -> None:
        text = str(_without_state(text))
        super().__init__(text if client is None else f"{client}: {text}")
        self.client = client

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[TurnError], args: tuple[str, ...], fields: dict[str, object]) -> TurnError:
    """Unpickle without calling `__init__`, whose parameters differ from class to class."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(fields)
    return error


class RoutingError(TurnError):
    """No wire has this name, or none could be told from the model's."""

    def __init__(self, model: str, client_type: str | None = None) -> None:
        super().__init__(
            "no wire is known for this client type: docs/client.md lists them"
            if client_type
            else "no wire is known for this model: pass client_type=, or set CLIENT_TYPE"
        )
        self.model = model
        self.client_type = client_type


class InvalidMessageError(TurnError):
    """A message that no provider would take, or that this one does not.

    Attributes:
        item_type: the type of the item that was refused; None if the message itself was.
        message_index: which message, counted from 0.
        item_index: which item of it, counted from 0; None if the message itself was refused.
        reason: what was expected.
    """

    def __init__(
        self,
        client: str | None,
        reason: str,
        *,
        item_type: str | None = None,
        message_index: int | None = None,
        item_index: int | None = None,
    ) -> None:
        place = "" if message_index is None else f"message {message_index}"
        place += "" if item_index is None else f", item {item_index}"
        super().__init__(f"{place}: {reason}" if place else reason, client)
        self.item_type = None if item_type is None else str(_without_state(item_type))
        self.message_index = message_index
        self.item_index = item_index
        self.reason = reason


class UnsupportedContentError(InvalidMessageError):
    """A known kind of item that this client or model cannot take."""


class UnsupportedParameterError(TurnError):
    """A setting that this client or model does not have, or not with this value."""

    def __init__(self, client: str | None, parameter: str) -> None:
        super().__init__(f"the setting {parameter} is not supported, or not with this value", client)
        self.parameter = parameter


class UnsupportedOperationError(TurnError):
    """Something this client cannot do."""

    def __init__(self, client: str | None, operation: str) -> None:
        super().__init__(f"{operation} is not supported", client)
        self.operation = operation


class ConcurrentCallError(TurnError):
    """A stateful call began while another one of the same client was running."""

    def __init__(self, client: str | None) -> None:
        super().__init__("another stateful call is running; wait for its stop, abort it or close it", client)


class PrefixChangedError(TurnError):
    """A stateful call would not send what the call before it sent. Nothing was sent.

    Attributes:
        change: where it first differs, an `ostinato.prefix.PrefixChange`.
    """

    def __init__(self, client: str | None, change: object) -> None:
        super().__init__(str(change), client)
        self.change = change


class PrefixChangedWarning(UserWarning):
    """A stateful call does not send what the call before it sent: the provider's cache does not hold it."""


class StreamProtocolError(TurnError):
    """The provider's stream contradicts itself."""


class ToolCallArgumentParseError(TurnError):
    """The arguments of a call are no JSON object that could be sent back.

    Attributes:
        raw_arguments_length: characters of the text.
        raw_arguments_preview: its beginning and end. It is content: keep it out of logs.
    """

    def __init__(self, client: str | None, tool_name: str, tool_call_id: str, raw_arguments: str) -> None:
        super().__init__("the arguments of a tool call are no JSON object", client)
        self.tool_name = tool_name
        self.tool_call_id = tool_call_id
        self.raw_arguments_length = len(raw_arguments)
        self.raw_arguments_preview = _preview(raw_arguments)


def _preview(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:72]}...[truncated]...{text[-72:]}"  # noqa: PLR2004 - two halves and the mark


class IncompleteStreamError(TurnError):
    """The stream ended before the response did. Worth another try.

    Attributes:
        missing: what did not arrive.
        finish_reason, usage_metadata: what did.
    """

    def __init__(
        self,
        client: str | None,
        missing: list[str],
        *,
        finish_reason: str | None = None,
        usage_metadata: object = None,
    ) -> None:
        super().__init__(f"the stream ended without {' and '.join(missing)}", client)
        self.missing = missing
        self.finish_reason = finish_reason
        self.usage_metadata = usage_metadata


class EmptyResponseError(TurnError):
    """The response holds nothing, or thinking alone: no provider takes that back, so it is not recorded."""

    def __init__(self, client: str | None, *, finish_reason: str | None = None, usage_metadata: object = None) -> None:
        super().__init__("the response holds nothing but thinking", client)
        self.finish_reason = finish_reason
        self.usage_metadata = usage_metadata


class UnknownEventError(TurnError):
    """An event of a kind that is not known: raised in debug mode, counted otherwise."""

    def __init__(self, client: str | None, event: str) -> None:
        super().__init__("an event of unknown type", client)
        self.event = str(_without_state(event))[:160]


class ProviderStreamError(TurnError, RuntimeError):
    """The provider reported an error inside the stream. The text is its own, without state that it quotes."""

    def __init__(self, client: str | None, code: object, message: str, *, status: int | None = None) -> None:
        code, message = _without_state(code), str(_without_state(message))
        super().__init__(f"{code}: {message}" if code is not None else message, client)
        self.code = code
        self.provider_message = message
        self.status = status


class RefusalError(ProviderStreamError):
    """The model refused to answer. The text is its refusal."""

    def __init__(self, client: str | None, message: str) -> None:
        super().__init__(client, "refusal", message)


class UpstreamError(TurnError):
    """The provider answered with an HTTP error. The SDK's own exception is its cause, where it does not quote state.

    Attributes:
        status: the HTTP status, where it is known.
        error_type: the provider's word for the error.
        error: the provider's error object, without state that it quotes.
    """

    def __init__(
        self,
        client: str | None,
        message: str,
        *,
        status: int | None = None,
        error_type: str | None = None,
        error: object = None,
    ) -> None:
        super().__init__(message, client)
        self.status = status
        self.error_type = error_type
        self.error = _without_state(error)


def _without_state(value: object) -> object:
    """What a provider says of a request, which some quote in their errors: the same object where it holds no state.

    Words about reasoning stay: `reasoning_content: field required` says what is wrong.
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return None
    raw = text.encode("utf-8", "surrogatepass")
    redacted, _ = redact_text(raw, reasoning_text=False)
    if redacted == raw:
        return value
    shown = redacted.decode("utf-8", "surrogatepass")
    return shown if isinstance(value, str) else json.loads(shown)


class ApiKeyRequiredError(TurnError):
    """No key was given, and none of the environment is meant for this endpoint.

    Attributes:
        variable: the variable of the environment that would be read; None where the endpoint was passed by hand.
    """

    def __init__(self, client: str | None, variable: str | None = None) -> None:
        way = "pass api_key=" + (f", or set {variable}" if variable else "")
        super().__init__(f"an API key is required for this endpoint: {way}", client)
        self.variable = variable


class DebugBuildWarning(RuntimeWarning):
    """The extension was built with every check on and without optimisation: right for tests, slow for use."""
