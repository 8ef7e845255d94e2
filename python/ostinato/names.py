"""Words from outside, made safe to show: in messages of errors, log lines, tables and terminals.

Names of files, fields, tools and sessions can hold anything: a line break that forges a log line, an escape sequence
that a terminal obeys, a mark that turns the direction of writing, half of a surrogate pair that no stream can write.
"""

__all__ = ["printable"]


def printable(text: str) -> str:
    """The text with a `?` in place of each character that is not printable, and a space for each line break or tab."""
    if text.isprintable():
        return text
    return "".join(" " if character in "\t\n\r" else _shown(character) for character in text)


def _shown(character: str) -> str:
    return character if character.isprintable() else "?"
