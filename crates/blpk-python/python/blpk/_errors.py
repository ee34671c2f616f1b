"""Exceptions of blpk.

Every error about data is a :class:`Error` and a ``ValueError`` or ``OSError``. Errors of the system keep Python's own
classes: ``FileNotFoundError``, ``PermissionError``, ``MemoryError`` and so on. Wrong arguments raise ``ValueError`` or
``TypeError``.
"""


class Error(Exception):
    """Base class of the errors that are specific to blpk."""


class DamagedError(Error, ValueError):
    """The bytes are damaged, or not in the expected format."""


class TruncatedError(DamagedError, EOFError):
    """The bytes end too early."""


class UnsupportedError(Error, ValueError):
    """The format, codec, filter or operation is not supported."""


class LimitError(Error, ValueError):
    """More than the limits of the call allow.

    Attributes
    ----------
    limit : str
        Name of the limit, as in the argument ``limits``.
    needed : int
        The value that the data needs.
    allowed : int
        The value of the limit.
    """

    def __init__(self, text: str = "", limit: str = "", needed: int = 0, allowed: int = 0) -> None:
        super().__init__(text)
        self.limit = limit
        self.needed = needed
        self.allowed = allowed


class NotFoundError(Error, KeyError):
    """A chunk, column or attribute does not exist."""

    def __str__(self) -> str:
        # KeyError would show the text in quotes.
        return Exception.__str__(self)


class LockedError(Error, OSError):
    """Another process, or another part of this one, is changing the file."""
