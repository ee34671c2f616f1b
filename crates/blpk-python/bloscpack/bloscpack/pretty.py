"""Sizes as text for people, and back."""

from __future__ import annotations

from collections.abc import Iterable

from .constants import SUFFIXES


def pretty_size(size_in_bytes: int) -> str:
    """Return a size in the largest unit that it reaches.

    Examples
    --------
    >>> pretty_size(1536), pretty_size(0)
    ('1.5K', '0B')
    """
    if size_in_bytes < 1:
        return f"{size_in_bytes}B"
    unit = [name for name, factor in SUFFIXES.items() if factor <= size_in_bytes][-1]
    return f"{round(size_in_bytes / SUFFIXES[unit], 2)}{unit}"


def double_pretty_size(size_in_bytes: int) -> str:
    """Return a size in the largest unit, and in bytes.

    Examples
    --------
    >>> double_pretty_size(1 << 20)
    '1.0M (1048576B)'
    """
    return f"{pretty_size(size_in_bytes)} ({size_in_bytes}B)"


def reverse_pretty(readable: str) -> int:
    """Return the number of bytes of a size with a unit.

    Raises
    ------
    ValueError
        If the text is not a number with a unit.

    Examples
    --------
    >>> reverse_pretty("1.5K")
    1536
    """
    number, unit = readable[:-1], readable[-1:]
    if unit not in SUFFIXES:
        raise ValueError(f"{readable!r} does not end with one of the units {', '.join(SUFFIXES)}")
    try:
        return int(float(number) * SUFFIXES[unit])
    except OverflowError:
        raise ValueError(f"{readable!r} is not a finite size") from None


def join_with_eol(items: Iterable[str]) -> str:
    """Return the items on one line."""
    return f"{', '.join(items)}\n"
