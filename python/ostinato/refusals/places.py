"""Ids and places in a provider's refusal, in the form in which decisions name places."""

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["ids", "parts", "paths"]

_ID: Final = re.compile(
    r"\b(?!call_id\b)(?:rs|msg|fc|cmp|ws|ctc|lsh|mcp|ci|ig|call|toolu|srvtoolu)_[A-Za-z0-9_-]{1,80}+(?!\.\.)"
)
"""Of kinds that providers give out. One that is shown shortened (`rs_12...89`) is none."""
_MOST: Final = 16

# What providers write, and what it is here.
_PLACES: Final = (
    (re.compile(r"\binput\[(\d{1,7})\]"), "items/{}"),
    (re.compile(r"\binput\.(\d{1,7})\b"), "items/{}"),
    (re.compile(r"\bmessages\.(\d{1,7})\.content\.(\d{1,7})\b"), "messages/{}/content/{}"),
    (re.compile(r"\bmessages\.(\d{1,7})(?!\.content\.\d|\d)"), "messages/{}"),
    (re.compile(r"\bcontents\[(\d{1,7})\]\.parts\[(\d{1,7})\]"), "contents/{}/parts/{}"),
    (re.compile(r"\bassistant tool call message at index (\d{1,7})\b"), "messages/{}"),
)
_PARTS: Final = re.compile(r"\bthe '(system|tools|messages)'", re.IGNORECASE)
"""What Anthropic says has changed before a block (anomalyco/opencode#48637)."""


def ids(words: str) -> tuple[str, ...]:
    """The ids that are named: of known kinds and lengths, so that nothing else of a message can be one."""
    return tuple(dict.fromkeys(found[0] for found in _ID.finditer(words)))[:_MOST]


def paths(words: str) -> tuple[str, ...]:
    """The places that are named."""
    return tuple(dict.fromkeys(_paths(words)))[:_MOST]


def parts(words: str) -> tuple[str, ...]:
    """The parts of the request that are said to have changed."""
    return tuple(dict.fromkeys(found[1] for found in _PARTS.finditer(words)))


def _paths(words: str) -> Iterator[str]:
    for pattern, form in _PLACES:
        for found in pattern.finditer(words):
            yield form.format(*(str(int(number)) for number in found.groups()))
