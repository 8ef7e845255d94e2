"""Tools that the provider ran, as pydantic-ai saves them: a call, and what it returned, of one `tool_call_id`."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from ostinato.saved.conversation import Source
from ostinato.saved.draft import Draft, label
from ostinato.saved.fields import listing, mapping, text
from ostinato.saved.parts import Native, Part

__all__ = ["Tools", "native_tools"]

Json = dict[str, Any]

_RESPONSES: Final = "openai-responses"
_ANTHROPIC: Final = "anthropic-messages"
_GEMINI: Final = "gemini-generate-content"


@dataclass(slots=True)
class Tools:
    """Built-in tools of one answer, by the path of the part that each stands at."""

    found: dict[str, list[Native]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    """Paths of parts that are in another one's item."""

    def at(self, path: str, state: str | None) -> list[Part]:
        """What stands at a path, with the signature that belongs to it."""
        signed = {} if state is None else {"thoughtSignature": state}
        return [one._replace(item=one.item | signed) for one in self.found.get(path, [])]


def native_tools(parts: list[tuple[str, Json]], wire: str, place: Source, draft: Draft) -> Tools:
    """The items of a wire for the tools of an answer. What cannot be put together again is a finding."""
    tools = Tools()
    returns = {
        str(part.get("tool_call_id")): (path, part)
        for path, part in parts
        if part.get("part_kind") == "builtin-tool-return"
    }
    files = {str(part.get("id")): (path, part) for path, part in parts if part.get("part_kind") == "file"}
    for path, part in parts:
        kind, known = part.get("part_kind"), str(part.get("tool_call_id"))
        if kind == "compaction":
            item: Json | None = _compaction(part, wire)
        elif kind == "builtin-tool-call":
            back = returns.get(known)
            picture = files.get(known)
            item = _call(part, back[1] if back else {}, picture[1] if picture else {}, wire)
            if item is not None and wire == _RESPONSES:  # one item on this wire, two on the others
                tools.used.update(other[0] for other in (back, picture) if other)
            if item is not None and item.get("type") == "mcp_call":
                draft.say("arguments_rebuilt", path, line=place.line, id=label(known))
        elif kind == "builtin-tool-return" and path not in tools.used:
            item = _return(part, wire)
        else:
            continue
        if item is None:
            draft.say("unknown_part", path, line=place.line, type=label(part.get("tool_name") or kind))
        else:
            tools.found[path] = [Native(path, wire, item)]
    return tools


def _compaction(part: Json, wire: str) -> Json | None:
    details = mapping(part, "provider_details")
    if wire == _RESPONSES and isinstance(details.get("encrypted_content"), str):
        item = {"type": "compaction", "id": part.get("id"), "encrypted_content": details["encrypted_content"]}
    elif wire == _ANTHROPIC:
        sealed = {name: details.get(name) for name in ("encrypted_content", "signature")}
        item = {"type": "compaction", "content": part.get("content"), **sealed}
    else:
        return None
    return {name: value for name, value in item.items() if value is not None}


def _call(part: Json, back: Json, picture: Json, wire: str) -> Json | None:
    name, arguments = text(part, "tool_name") or "", _arguments(part)
    if wire == _RESPONSES:
        kind = "mcp" if ":" in name and isinstance(arguments.get("action"), str) else name
        write = _ITEMS.get(kind)
        made = write(part, arguments, mapping(back, "content"), picture) if write else None
        return made and {key: value for key, value in made.items() if value is not None}
    if wire == _ANTHROPIC and name in _RESULTS:
        own = text(mapping(part, "provider_details"), _TOOL_NAME) or name
        return {"type": "server_tool_use", "id": part.get("tool_call_id"), "name": own, "input": arguments}
    if wire == _GEMINI and name == "code_execution":
        return {"executableCode": arguments}
    return None


def _return(part: Json, wire: str) -> Json | None:
    name, content = text(part, "tool_name") or "", part.get("content")
    if wire == _ANTHROPIC and name in _RESULTS:
        own = text(mapping(part, "provider_details"), _TOOL_NAME) or name
        return {"type": f"{own}_tool_result", "tool_use_id": part.get("tool_call_id"), "content": content}
    if wire == _GEMINI and name == "code_execution" and isinstance(content, dict):
        return {"codeExecutionResult": content}
    return None


_RESULTS: Final = frozenset({"code_execution", "web_fetch", "web_search"})
_TOOL_NAME: Final = "anthropic_tool_name"
"""Where the variant of a tool is kept that Anthropic ran."""


def _arguments(part: Json) -> Json:
    given = part.get("args")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    return given if isinstance(given, dict) else {}


def _web_search(part: Json, arguments: Json, back: Json, _picture: Json) -> Json:
    known = part.get("id") or part.get("tool_call_id")
    return {"type": "web_search_call", "id": known, "action": arguments or None, "status": back.get("status")}


def _file_search(part: Json, arguments: Json, back: Json, _picture: Json) -> Json:
    known = part.get("id") or part.get("tool_call_id")
    own = {"queries": listing(arguments, "queries"), "results": back.get("results"), "status": back.get("status")}
    return {"type": "file_search_call", "id": known, **own}


def _code(part: Json, arguments: Json, back: Json, _picture: Json) -> Json:
    logs = [{"type": "logs", "logs": said} for said in listing(back, "logs")]
    own = {"code": arguments.get("code"), "container_id": arguments.get("container_id"), "outputs": logs or None}
    return {"type": "code_interpreter_call", "id": part.get("tool_call_id"), **own, "status": back.get("status")}


def _image(part: Json, _arguments: Json, back: Json, picture: Json) -> Json:
    data = text(mapping(picture, "content"), "data")
    result = None if data is None else data.translate(str.maketrans("-_", "+/"))
    own = {"status": back.get("status"), "result": result}
    return {"type": "image_generation_call", "id": part.get("tool_call_id"), **own}


def _mcp(part: Json, arguments: Json, back: Json, _picture: Json) -> Json | None:
    server = (text(part, "tool_name") or "").partition(":")[2]
    named = {"id": part.get("tool_call_id"), "server_label": server, "error": back.get("error")}
    if arguments["action"] == "list_tools":
        return {"type": "mcp_list_tools", **named, "tools": listing(back, "tools")}
    if arguments["action"] != "call_tool":
        return None
    given = json.dumps(arguments.get("tool_args"), ensure_ascii=False, separators=(",", ":"))
    own = {"name": arguments.get("tool_name"), "arguments": given, "output": back.get("output")}
    return {"type": "mcp_call", **named, **own}


_ITEMS: Final[dict[str, Callable[[Json, Json, Json, Json], Json | None]]] = {
    "code_execution": _code,
    "file_search": _file_search,
    "image_generation": _image,
    "mcp": _mcp,
    "web_search": _web_search,
}
"""Items of Responses by the name of the tool."""
