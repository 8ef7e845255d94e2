"""Draw a measurement: tables for people, rows for spreadsheets.

Counts, lengths, names and paths; never a text of a history.
"""

import csv
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from ostinato.corpus import Measurement
from ostinato.errors import ERROR_CODES
from ostinato.names import printable
from ostinato.table import WIDTH, common_folder, grid, number, several, size

__all__ = ["attention", "table", "write_csv"]

Figures = Mapping[str, Any]

FORMS = {
    "raw_snapshot": "raw snapshot",
    "canonical_envelope": "canonical envelope",
    "legacy_fallback": "legacy fallback",
}

GENERATIONS = {
    "minimal": "records of fast-agent 0.10.4; they have no summary of their own and are not replayed",
    "snapshot": "unversioned records of fast-agent 0.10.6 to 0.10.11; they are not replayed",
    "unknown": "stored records of a schema or version that is not known; a newer ostinato may read them",
    "malformed": "stored records that are broken and will not be replayed",
}


def table(measurement: Measurement, *, files: int = 40, width: int = WIDTH) -> str:
    """The measurement for people to read, in plain text.

    Args:
        measurement: what was measured.
        files: how many files to list, those with most state first; the others are summed up in a line.
        width: columns to fit paths into; tables of figures may need up to 85.

    Returns:
        The text, with a newline at its end.
    """
    total = measurement.total
    sections = [
        textwrap.fill(_head(measurement), width),
        _formats(measurement),
        _files(measurement, files, width),
        _items(total),
        *((_state(total), _text(total)) if measurement.files else ()),
        _stored(total, width),
        _payload(total),
        _timing(total),
        _attention(measurement, width),
        _left_out(measurement, width),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def write_csv(measurement: Measurement, out: TextIO) -> None:
    """One row for each file and one for all, with a column for each figure: `opaque.unique`, `items.openai.reasoning`.

    A figure that a file does not have is empty; lists are given by their length.
    """
    rows = [{"scope": "file", **_flat(file)} for file in measurement.files]
    rows.append({"scope": "total", **_flat(measurement.total)})
    first = ("scope", "path", "format")
    others = sorted({name for row in rows for name in row} - set(first))
    writer = csv.DictWriter(out, [*first, *others], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def attention(measurement: Measurement) -> list[tuple[str, int, str]]:
    """What should be looked at: code, how often, what it means."""
    total = measurement.total
    found = [(code, count, ERROR_CODES.get(code, "")) for code, count in total["problems"].items()]
    found += [(f"generation_{name}", total["generation"].get(name, 0), text) for name, text in GENERATIONS.items()]
    repeats, modes = total["repeats"], total["permissive_mode"]
    found += [
        ("id_ciphertext_conflict", repeats["id_ciphertext_conflict"], "other state under an id that was used before"),
        ("unknown_fields", _sum(total["unknown_fields"]), "fields that no schema of the item names"),
        ("permissive_mode", modes["file"], "files that others may open (wanted 0600)"),
        ("permissive_mode", modes["dir"], "folders that others may enter (wanted 0700)"),
        ("unreadable", len(measurement.errors), "paths that could not be read, or not to their end"),
    ]
    return [(code, count, text) for code, count, text in found if count]


def _sum(counts: Figures) -> int:
    return sum(_sum(count) if isinstance(count, Mapping) else count for count in counts.values())


def _flat(figures: Figures, prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            shown = printable(value) if isinstance(value, str) else value
            flat[prefix + name] = len(value) if isinstance(value, list) else shown
    return flat


# --- sections -----------------------------------------------------------------------------------


def _head(measurement: Measurement) -> str:
    total = measurement.total
    packed = f" ({size(total['packed_bytes'])} on disk)" if total["packed_bytes"] != total["bytes"] else ""
    parts = [
        f"{several(total['files'], 'file')}, {size(total['bytes'])}{packed}",
        several(total["sessions"], "session"),
        several(total["turns"], "turn"),
        several(total["replay"]["requests"], "request"),
        several(total["records"], "record"),
    ]
    return "ostinato measure: " + ", ".join(parts)


def _formats(measurement: Measurement) -> str:
    rows = []
    for name in measurement.total["formats"]:
        files = [file for file in measurement.files if file["format"] == name]
        rows.append([name, number(len(files)), *_file_cells(_added(files))])
    return grid("Formats", ["format", "files", *FILE_COLUMNS], rows)


DISPENSABLE = ("records", "turns")
"""Columns that a narrow terminal has no room for; `Formats` and `--csv` have them."""

FILE_COLUMNS = ("size", "records", "turns", "items", "state", "repeats")


def _file_cells(file: Figures) -> list[str]:
    items = sum(file["items"].values())
    state, repeats = file["opaque"]["chars"], file["duplicates"]
    return [
        size(file["bytes"]),
        number(file["records"]),
        number(file["turns"]),
        number(items),
        size(state),
        number(repeats),
    ]


def _added(files: Sequence[Figures]) -> Figures:
    plain = {name: sum(file[name] for file in files) for name in ("bytes", "records", "turns", "duplicates")}
    chars = sum(file["opaque"]["chars"] for file in files)
    return {**plain, "items": {"all": sum(_sum(file["items"]) for file in files)}, "opaque": {"chars": chars}}


def _files(measurement: Measurement, limit: int, width: int) -> str:
    ordered = sorted(measurement.files, key=lambda file: (-file["opaque"]["chars"], file["path"]))
    folder = common_folder([file["path"] for file in ordered])
    rows = [[file["path"][len(folder) :], *_file_cells(file), _notes(file)] for file in ordered[:limit]]
    rest = ordered[limit:]
    if rest:
        rows.append([f"... and {number(len(rest))} more", *_file_cells(_added(rest)), ""])
    title = f"Files in {folder}" if folder else "Files"
    columns = ["path", *FILE_COLUMNS, "notes"]
    shown = [place for place, name in enumerate(columns) if width >= WIDTH or name not in DISPENSABLE]
    narrow = [[row[place] for place in shown] for row in (columns, *rows)]
    return grid(title, narrow[0], narrow[1:], width=width, left=(0, len(shown) - 1), shorten=0)


def _notes(file: Figures) -> str:
    """What stands out in this file, apart from its mode, which most files share."""
    notes = list(file["problems"]) + [name for name in GENERATIONS if file["generation"].get(name)]
    return notes[0] + (f" +{len(notes) - 1}" if len(notes) > 1 else "") if notes else ""


def _items(total: Figures) -> str:
    kinds = sorted(set(total["items"]) | set(total["nested"]))
    rows = [[kind, number(total["items"].get(kind, 0)), number(total["nested"].get(kind, 0))] for kind in kinds]
    return grid("Replay items by wire and kind", ["kind", "items", "elsewhere"], rows)


def _state(total: Figures) -> str:
    opaque, state, ids, repeats = total["opaque"], total["state"], total["ids"], total["repeats"]
    rows = [
        ["values in items", number(opaque["values"]), size(opaque["chars"])],
        ["  different ones", number(opaque["unique"]), size(opaque["unique_chars"])],
        ["  repeats over all files", number(total["duplicates"]), size(opaque["chars"] - opaque["unique_chars"])],
        ["  exact duplicates in a file", number(repeats["exact_duplicate"]), ""],
        ["  re-encrypted under one id", number(repeats["re_encrypted"]), ""],
        ["  conflicts under one id", number(repeats["id_ciphertext_conflict"]), ""],
        ["  shared by several ids", number(repeats["ciphertext_shared"]), ""],
        ["placeholders and empty", number(opaque["placeholders"] + opaque["empty"]), ""],
        ["items with an id", number(ids["with_id"]), ""],
    ]
    rows += [[f"in {name}", "", size(count)] for name, count in _largest(state["by_record"])]
    return grid("Opaque state", ["", "count", "bytes"], rows)


def _text(total: Figures) -> str:
    text, thinking, display, tokens = total["text"], total["thinking"], total["display"], total["tokens"]
    rows = [
        ["summary parts", number(text["summary_parts"]), size(text["summary_bytes"])],
        ["content parts", number(text["content_parts"]), size(text["content_bytes"])],
        ["thinking blocks", number(thinking["blocks"]), size(text["thinking_bytes"])],
        ["  without text", number(thinking["empty_text"]), ""],
        ["texts stored to be shown", number(display["texts"]), size(display["bytes"])],
        ["  that repeat the above", number(display["repeated"]), size(display["repeated_bytes"])],
        [
            "reasoning tokens, as reported",
            "unknown" if tokens["reasoning"] is None else number(tokens["reasoning"]),
            "",
        ],
    ]
    return grid("Reasoning text", ["", "count", "bytes"], rows)


def _stored(total: Figures, width: int) -> str:
    rows = [["generation", name, number(count)] for name, count in total["generation"].items()]
    rows += [["refused", name, number(count)] for name, count in total["refused"].items()]
    for kind, names in total["unknown_fields"].items():
        rows += [[f"unknown field of {kind}", name, number(count)] for name, count in _largest(names)]
    return grid("Stored records", ["", "", "count"], rows, width=width, left=(0, 1), shorten=1)


def _payload(total: Figures) -> str:
    payload = total["payload"]
    if not payload["items"]:
        return ""
    rows = []
    for key, name in FORMS.items():
        cells = [name]
        for what in ("stored_bytes", "final_request_bytes", "cumulative_bytes"):
            cells += [number(payload[key][what]), _change(payload[key][what], payload["raw_snapshot"][what])]
        rows.append(cells)
    columns = ["bytes", "stored", "", "one request", "", "all requests", ""]
    left_out = f", {number(payload['left_out'])} left out" if payload["left_out"] else ""
    title = f"Payload comparison ({number(payload['items'])} OpenAI reasoning items{left_out})"
    return grid(title, columns, rows)


def _change(value: int, reference: int) -> str:
    return "" if value == reference or not reference else f"{100 * (value - reference) / reference:+.1f} %"


def _timing(total: Figures) -> str:
    timed = [timing for timing in total["payload"].get("timing", []) if timing["sample_items"]]
    rows = [
        [
            FORMS[timing["form"]],
            *(f"{timing[f'{what}_ns_per_item'] / 1000:.2f} us" for what in ("serialize", "parse")),
            *(f"{timing[f'{what}_mb_per_s']:,.0f} MB/s" for what in ("serialize", "parse")),
        ]
        for timing in timed
    ]
    sample = number(timed[0]["sample_items"]) if timed else ""
    title = f"Time to write and read them (in Rust, a sample of {sample} items)"
    return grid(title, ["an item", "write", "read", "write", "read"], rows)


def _attention(measurement: Measurement, width: int) -> str:
    rows = []
    for code, count, text in attention(measurement):
        first, *others = textwrap.wrap(text, max(20, width - 40)) or [""]
        rows += [[code, number(count), first], *(["", "", line] for line in others)]
    return grid("What to look at", ["code", "count", "meaning"], rows, left=(0, 2))


def _left_out(measurement: Measurement, width: int) -> str:
    rows = [[entry["path"], "skipped", entry["looks_like"]] for entry in measurement.skipped[:20]]
    rows += [[entry["path"], "error", entry["code"]] for entry in measurement.errors[:20]]
    hidden = max(0, len(measurement.skipped) - 20) + max(0, len(measurement.errors) - 20)
    if hidden:
        rows.append([f"... and {number(hidden)} more", "", ""])
    return grid("Not measured", ["path", "", "why"], rows, width=width, left=(0, 1, 2), shorten=0)


def _largest(counts: Figures, most: int = 12) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:most]
