"""The mark of a redacted export: what has no state any more must never be taken for something that can be sent."""

from typing import Any, Final

__all__ = ["EXPORT_MARK", "export_mark", "is_redacted_export"]

EXPORT_MARK: Final = "ostinato"
"""The key of the mark. In a file of lines it is the only key of the first line, in a document one of its keys."""


def export_mark(kind: str = "redacted") -> dict[str, Any]:
    """The mark that an export without state begins with: `{"ostinato": {"export": kind, "resumable": false}}`."""
    return {EXPORT_MARK: {"export": kind, "resumable": False}}


def is_redacted_export(record: dict[str, Any]) -> bool:
    """Whether an object says that it, or the file it begins, cannot be resumed."""
    mark = record.get(EXPORT_MARK)
    return isinstance(mark, dict) and "export" in mark and mark.get("resumable") is False
