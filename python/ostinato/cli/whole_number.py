"""A type of options: how many."""

import argparse

__all__ = ["whole_number"]

MOST = 1_000_000


def whole_number(text: str) -> int:
    """A count as it is typed.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST))):
        raise argparse.ArgumentTypeError(f"a whole number from 0 to {MOST:,} is wanted")
    return int(text)
