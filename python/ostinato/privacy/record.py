"""One log record without state: message, arguments, extra fields, exception and stack."""

import logging
import traceback
from collections.abc import Mapping
from typing import Any, Final, Literal

from ostinato.privacy.values import Options, clean_text, clean_value, is_clean

__all__ = ["Exceptions", "clean_record", "exception_text"]

Exceptions = Literal["text", "live"]
"""`text`: a record carries its exception as redacted text. `live`: as the object, where its text holds no state; then
whoever handles the record can read every local variable of its frames."""

# What a record has by itself. Whatever else it has is `extra`.
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_TEXTS: Final = ("exc_text", "stack_info", "message")
_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_PLAIN: Final = _NUMBERS | {str, dict, list, tuple}
_FIELDS: Final = len(vars(logging.makeLogRecord({})))


def clean_record(record: logging.LogRecord, options: Options, exceptions: Exceptions = "text") -> None:
    """Redact a record in place. A record that cannot be read keeps nothing but its name, its level and its place."""
    try:
        if not _is_plain(record, options):
            _message(record, options)
        if record.exc_info:
            _exception(record, options, exceptions)
        fields = vars(record)
        if len(fields) == _FIELDS and not (record.exc_text or record.stack_info):
            return
        for name in _TEXTS:
            if text := fields.get(name):
                fields[name] = clean_text(str(text), options)
        for name in fields.keys() - _OWN:
            fields[name] = clean_value(name, fields[name], options)
    except Exception:  # noqa: BLE001 - of foreign code; a record that was not redacted must not go out
        _withhold(record)


def exception_text(error: BaseException, options: Options) -> str:
    """The traceback of an exception, its causes included, without state. Locals are never shown."""
    return clean_text(_formatted(error), options)


def _formatted(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)).rstrip("\n")


def _is_plain(record: logging.LogRecord, options: Options) -> bool:
    """Whether message and arguments are plain values without state, as most are: one look at all of them."""
    message = record.msg
    # One mapping is kept without a tuple around it, for `%(name)s`.
    args = (record.args,) if type(record.args) is dict else record.args
    if type(message) is not str or type(args) is not tuple or not _PLAIN.issuperset(map(type, args)):
        return False
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001 - logging says so when it comes to write the record
        return False
    # Where every argument is written whole, the message holds them all.
    if args and ("%%" in message or message.count("%s") + message.count("%r") < len(args)):
        text = "\n".join([text, *(str(argument) for argument in args if type(argument) not in _NUMBERS)])
    return is_clean(text, options)


def _message(record: logging.LogRecord, options: Options) -> None:
    if record.args:
        record.args = _arguments(record.args, options)
    if type(record.msg) is not str:
        record.msg = clean_value("msg", record.msg, options)
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001 - logging reports it, with message and arguments as they are in the record
        record.msg = clean_text(str(record.msg), options)
        return
    cleaned = clean_text(text, options)
    if cleaned != text:
        record.msg, record.args = cleaned, ()


def _arguments(args: Any, options: Options) -> Any:  # noqa: ANN401 - a tuple, or the one mapping that was given
    if isinstance(args, Mapping):
        cleaned = {name: clean_value(str(name), value, options) for name, value in args.items()}
        return args if all(cleaned[name] is args[name] for name in cleaned) else cleaned
    return tuple(clean_value("", value, options) for value in args)


def _exception(record: logging.LogRecord, options: Options, exceptions: Exceptions) -> None:
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if error is None:
        return
    text = _formatted(error)
    cleaned = clean_text(text, options)
    if exceptions == "text" or cleaned != text:
        record.exc_text, record.exc_info = cleaned, None


def _withhold(record: logging.LogRecord) -> None:
    fields = vars(record)
    for name in fields.keys() - _OWN:
        del fields[name]
    for name in ("message", "exc_text", "exc_info", "stack_info"):
        fields[name] = None
    record.msg, record.args = "[this record could not be redacted, and is withheld]", ()
