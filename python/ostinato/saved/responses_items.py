"""Items of the Responses wire as files hold them: whose turn they are in, and their state in canonical form."""

from typing import Any, Final

from ostinato.errors import ReplayError
from ostinato.replay import canonicalize_completed_reasoning_output_item
from ostinato.saved import fields
from ostinato.saved.draft import Draft, label

__all__ = ["COMPACTIONS", "REPLAYED", "WIRE", "is_item", "native", "role_of"]

WIRE: Final = "openai-responses"

COMPACTIONS: Final = frozenset({"compaction", "compaction_summary"})
REPLAYED: Final = frozenset({"reasoning", *COMPACTIONS})
_INPUTS: Final = frozenset({"agent_message", "item_reference", "mcp_approval_response", "compaction_trigger"})
_OUTPUTS: Final = frozenset({"mcp_list_tools", "mcp_approval_request", "program", "additional_tools", *REPLAYED})
"""Besides messages, calls (`..._call`) and what they gave (`..._output`)."""
_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
_CALLS: Final = frozenset(
    {
        "apply_patch_call",
        "code_interpreter_call",
        "computer_call",
        "custom_tool_call",
        "file_search_call",
        "function_call",
        "image_generation_call",
        "local_shell_call",
        "mcp_call",
        "shell_call",
        "tool_search_call",
        "web_search_call",
    }
)


def is_item(item: dict[str, Any]) -> bool:
    """Whether an object is an item of a type that is known: openai 3.57 and Codex 0.146 write no others."""
    kind = fields.text(item, "type")
    if kind == "message":
        return fields.text(item, "role") in _ROLES
    return kind is not None and (kind in _CALLS | _INPUTS | _OUTPUTS or kind.endswith("_output"))


def role_of(item: dict[str, Any]) -> str:
    """Whose turn an item is in: a role, or `tool` for what a call gave."""
    kind, role = fields.text(item, "type"), fields.text(item, "role")
    if kind in {"message", None} and role in _ROLES:
        return str(role)
    if kind in _INPUTS:
        return "user"
    return "tool" if kind is not None and kind.endswith("_output") else "assistant"


def native(item: dict[str, Any], draft: Draft, line: int | None, path: str, provider: str) -> dict[str, Any]:
    """An item as it may be sent: state in canonical form, everything else as the file has it.

    Args:
        item: the item of the file. Nothing is changed in it.
        draft: where it is said what was dropped, or what is not sound.
        line: where the record it stands in begins.
        path: where in the record.
        provider: whose contract it follows; `codex` also takes items without id.
    """
    if fields.text(item, "type") not in REPLAYED:
        return item
    try:
        state = canonicalize_completed_reasoning_output_item(item, wire=WIRE, provider=provider)
    except ReplayError as error:
        draft.count("unsound_state", line, path, reason=error.code)
        return item
    for name in state.dropped_fields:
        draft.count("unknown_field_dropped", line, path, field=label(name))
    return state.to_dict()
