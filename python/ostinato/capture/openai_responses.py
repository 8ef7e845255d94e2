"""The events of an OpenAI Responses stream.

An item is complete in its `response.output_item.done` event, and again in the final response; what its `added` event
says of the ciphertext may be incomplete (docstrings of openai 3.3.1 and later). The two complete ones are encrypted
apart: same length, other text (29 of 33 recorded streams). The profile says which one is kept.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ostinato.capture.catch import Catch, Event, Json, place
from ostinato.policy.responses.items import named

__all__ = ["Reader"]

_STATE: Final = ("reasoning", "compaction")
_SAYS_NOTHING: Final = ("reasoning", "message", "function_call")
"""Items whose input form has no status, or none that endpoints agree on (field reports R048 to R050)."""
_CUT: Final = ("in_progress", "incomplete")
_WHY: Final = ("max_output_tokens", "content_filter")


@dataclass(slots=True)
class _Item:
    """An item of the response, in up to two complete forms."""

    index: int | None
    done: Event | None = None
    final: Event | None = None
    order: int = 0


class Reader:
    """One response of OpenAI Responses."""

    def __init__(self, catch: Catch) -> None:
        self._catch = catch
        self._begun: dict[int, Event] = {}
        """By place the items that have begun, as far as their event tells of them."""
        self._done: list[_Item] = []
        self._final: list[Event] = []
        self._status: str | None = None

    def feed(self, event: Event) -> None:
        """Read one event."""
        kind = event.get("type")
        if kind == "response.output_item.added":
            begun = event.get("item")
            self._begun[place(event.get("output_index"))] = begun if isinstance(begun, Mapping) else {}
        elif kind == "response.output_item.done":
            item, index = event["item"], event.get("output_index")
            item.keys()  # an object, or an event that nobody can read
            self._done.append(_Item(index if type(index) is int else None, item))
        elif kind in ("response.completed", "response.incomplete"):
            response = event["response"]
            self._final = [item for item in response.get("output") or () if item.keys()]
            self._status = "incomplete" if kind == "response.incomplete" else str(response.get("status") or "completed")
            if self._status == "incomplete":
                why = (response.get("incomplete_details") or {}).get("reason")
                self._catch.log.kept("incomplete_response", "", why if why in _WHY else None)

    def finish(self, *, cut: bool) -> tuple[list[Json], bool]:
        """The output items."""
        items, kept = self._joined(), []
        for item in items:
            chosen = self._choose(item)
            if chosen is not None:
                kept.append(chosen)
        seen = {item.order for item in items} | {item.index for item in items}
        for index in sorted(self._begun.keys() - seen):
            self._catch.cut(f"output/{index}", **named(self._begun[index]))
        return kept, self._status == "completed" and not cut

    # Which items there are.

    def _joined(self) -> list[_Item]:
        """The items in order. Forms of one item share an id; where an endpoint renames them (Copilot), a place."""
        items: list[_Item] = []
        by_id: dict[str, _Item] = {}
        by_place: defaultdict[int, list[_Item]] = defaultdict(list)
        for item in self._done:
            name = _name(item.done)
            if name in by_id:
                continue
            item.order = len(items) if item.index is None else item.index
            items.append(item)
            if name:
                by_id[name] = item
            if item.index is not None:
                by_place[item.index].append(item)
        final_names = {_name(final) for final in self._final}
        for index, final in enumerate(self._final):
            known = by_id.get(_name(final)) or _renamed(by_place[index], final, final_names)
            if known is None:
                items.append(_Item(index, None, final, index))
            else:
                known.final, known.order = final, index
        return sorted(items, key=lambda item: item.order)

    # What becomes of them.

    def _choose(self, item: _Item) -> Json | None:
        path = f"output/{item.order}"
        late = self._catch.contract.keeps == "final"
        form = (item.final or item.done) if late else (item.done or item.final)
        if form is None:
            return None
        if item.done is not None and item.final is not None:
            self._compare(item.done, item.final, path, "final" if late else "done")
        status = self._status if form is item.final else None
        if form.get("status") in _CUT or (status == "incomplete" and form.get("status") is None):
            return self._cut_short(form, path)
        return self._commit(form, path, status)

    def _compare(self, done: Event, final: Event, path: str, kept: str) -> None:
        one, other = done.get("encrypted_content"), final.get("encrypted_content")
        if isinstance(one, str) and isinstance(other, str) and one != other:
            code = "re_encrypted" if len(one) == len(other) else "id_ciphertext_conflict"
            self._catch.log.kept(code, path, kept)

    def _cut_short(self, form: Event, path: str) -> Json | None:
        """By xAI's rules one keeps what a response has when it ends early; elsewhere it is no state."""
        if self._catch.contract.incomplete == "drop":
            self._catch.cut(path, **named(form))
            return None
        self._catch.log.kept("incomplete_item", path)
        if form.get("type") in _STATE:
            return self._commit({name: value for name, value in form.items() if name != "status"}, path, None)
        return self._catch.plain(form, path)

    def _commit(self, form: Event, path: str, status: str | None) -> Json | None:
        if form.get("type") in _STATE:
            state = self._catch.seal(dict(form), path, response_status=status)
            return None if state is None else state.to_dict()
        mute = "status" if form.get("type") in _SAYS_NOTHING else ""
        return self._catch.plain({name: value for name, value in form.items() if name != mute}, path)


def _renamed(there: list[_Item], final: Event, final_names: set[str]) -> _Item | None:
    """The item that came at a place, under another name; None where a server numbers all places alike."""
    if len(there) != 1 or there[0].done is None or there[0].final is not None:
        return None
    known = there[0].done
    is_it = known.get("type") == final.get("type") and (_name(known) or None) not in final_names
    return there[0] if is_it else None


def _name(item: Event | None) -> str:
    """The id of an item; empty without one."""
    found = item.get("id") if item is not None else None
    return found if isinstance(found, str) else ""
