"""LangChain's standard content blocks (output version `v1`) as the Responses items they were made of.

A reasoning item becomes a block for each summary part, with the state on the first alone; a call that the provider ran
becomes a call and a result. The reverse of langchain-core 1.8.3, `block_translators/openai.py`.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from ostinato.saved.fields import mapping, text

__all__ = ["items"]

Json = dict[str, Any]
Placed = tuple[str, Json]

_STATUS: Final = {"success": "completed", "error": "failed"}
_CALLS: Final = {
    "code_interpreter": ("code_interpreter_call", "outputs"),
    "file_search": ("file_search_call", "results"),
    "mcp_list_tools": ("mcp_list_tools", "tools"),
    "remote_mcp": ("mcp_call", "output"),
    "web_search": ("web_search_call", None),
}
"""By the name of the tool: the type of the item, and the field that the result is in."""


def items(blocks: list[Placed]) -> Iterator[Placed]:
    """Blocks as items. A block that is an item already, or none of these, is as it was."""
    place = 0
    while place < len(blocks):
        path, block = blocks[place]
        kind = block.get("type")
        run = 1
        if kind == "reasoning" and "summary" not in block:
            while "reasoning" in block and place + run < len(blocks) and _same(block, blocks[place + run][1]):
                run += 1
            yield path, _reasoning([one for _path, one in blocks[place : place + run]])
        elif kind == "server_tool_call":
            after = blocks[place + 1][1] if place + 1 < len(blocks) else {}
            paired = after.get("type") == "server_tool_result" and after.get("tool_call_id") == block.get("id")
            run = 2 if paired else 1
            yield path, _tool(block, after if paired else {})
        elif kind == "image" and str(block.get("id")).startswith("ig_") and "base64" in block:
            status = mapping(block, "extras").get("status")
            item = {"type": "image_generation_call", "id": block["id"], "result": block["base64"], "status": status}
            yield path, {name: value for name, value in item.items() if value is not None}
        elif kind == "non_standard" and isinstance(block.get("value"), dict):
            yield path, block["value"]
        else:
            yield path, {name: value for name, value in block.items() if name != "index"}
        place += run


def _same(first: Json, other: Json) -> bool:
    """Whether a block goes on with the item of another."""
    goes_on = other.get("type") == "reasoning" and "reasoning" in other and "summary" not in other
    return goes_on and first.get("id") == other.get("id")


def _reasoning(run: list[Json]) -> Json:
    texts = [text(block, "reasoning") or "" for block in run if "reasoning" in block]
    rest = {name: value for name, value in run[0].items() if name not in {"reasoning", "index", "extras"}}
    return {**rest, **mapping(run[0], "extras"), "summary": [{"type": "summary_text", "text": one} for one in texts]}


def _tool(call: Json, result: Json) -> Json:
    name, extras, back = call.get("name"), mapping(call, "extras"), mapping(result, "extras")
    kind, output = _CALLS.get(str(name), (None, None))
    if kind is None:
        return call
    status = _STATUS.get(str(result.get("status"))) or back.get("status")
    item: Json = {"type": kind, "id": call.get("id"), "status": status}
    arguments = call.get("args")
    match name:
        case "web_search":
            item["action"] = arguments or None
        case "remote_mcp":
            item |= {"name": extras.get("tool_name"), "status": None, "error": back.get("error")}
            rebuilt = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
            item["arguments"] = extras.get("arguments") or rebuilt
        case "mcp_list_tools":
            item |= {"status": None, "error": back.get("error")}
        case _:
            item |= arguments if isinstance(arguments, dict) else {}
    if output is not None:
        item[output] = result.get("output")
    kept = {
        field: extras.get(field, call.get(field)) for field in ("server_label", "container_id", "approval_request_id")
    }
    return {field: value for field, value in {**item, **kept}.items() if value is not None}
