"""Messages on standard output, in three levels."""

from __future__ import annotations

import sys
from typing import NoReturn

NORMAL = "NORMAL"
VERBOSE = "VERBOSE"
DEBUG = "DEBUG"
#: All levels. A level includes those before it.
VERBOSITY_LEVELS = (NORMAL, VERBOSE, DEBUG)

#: The current level.
LEVEL = NORMAL
#: Start of every line.
PREFIX = "bloscpack.py"


def set_prefix(prefix: str) -> None:
    """Set the start of every line."""
    global PREFIX
    PREFIX = prefix


def set_level(level: str) -> None:
    """Set the current level.

    Raises
    ------
    ValueError
        If there is no such level.
    """
    global LEVEL
    if level not in VERBOSITY_LEVELS:
        raise ValueError(f"the level is {level!r}, expected one of {VERBOSITY_LEVELS}")
    LEVEL = level


def verbose(message: str, level: str = VERBOSE) -> None:
    """Print a message if the current level includes `level`. Empty lines are left out.

    Raises
    ------
    TypeError
        If there is no such level.
    """
    if level not in VERBOSITY_LEVELS:
        raise TypeError(f"the level is {level!r}, expected one of {VERBOSITY_LEVELS}")
    if VERBOSITY_LEVELS.index(LEVEL) >= VERBOSITY_LEVELS.index(level):
        _print(message, "")


def normal(message: str) -> None:
    """Print a message in every level."""
    verbose(message, NORMAL)


def debug(message: str) -> None:
    """Print a message in the level ``DEBUG``."""
    verbose(message, DEBUG)


def error(message: str, exit_code: int = 1) -> NoReturn:
    """Print a message and exit."""
    _print(message, "error: ")
    sys.exit(exit_code)


def _print(message: str, kind: str) -> None:
    for line in filter(None, message.split("\n")):
        print(f"{PREFIX}: {kind}{line}")
