"""What arrays, tables and files have in common: a source, a mode, and how to open it again."""

from __future__ import annotations

import contextlib
import io
import os
import threading
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from . import _core
from ._version import version


class Handle:
    """A source that is open in a mode, with the reader of its present content.

    Pickling keeps the source and the options, never data. A file object cannot be pickled.
    """

    def __init__(
        self, source: Any, mode: str = "r", *, column: str | None = None, threads: int | None = 1,
        limits: Mapping[str, int] | None = None, reader: _core.Reader | None = None,
    ) -> None:
        # Absolute, so that a change of the working directory does not lead to another file.
        is_path = isinstance(source, (str, os.PathLike))
        self.source = os.path.abspath(os.fspath(source)) if is_path else source
        self.mode = mode
        self.column = column
        self.threads = threads
        self.limits = None if limits is None else dict(limits)
        self._reader = reader
        self._process = os.getpid()
        self._changing = threading.Lock()
        if reader is None:
            self._reader = self._open()

    def reader(self) -> _core.Reader:
        """Return the reader, opened again if the content has changed."""
        if self.source is None:
            raise ValueError("it is closed")
        # Another thread may forget the reader at any time.
        reader = self._reader
        if reader is None or self._process != os.getpid():
            reader = self._reader = self._open()
        return reader

    def _open(self) -> _core.Reader:
        # A process may fork while another thread is reading. Its child needs a reader that nothing is using.
        if self._process != os.getpid():
            self._process, self._changing = os.getpid(), threading.Lock()
        return _core.Reader.open(self.source, column=self.column, threads=self.threads, limits=self.limits)

    def options(self) -> dict[str, Any]:
        """Return the arguments of changes in the compiled part."""
        return {"threads": self.threads, "limits": self.limits}

    def changed(self) -> None:
        """Forget the reader: the content has changed."""
        self._reader = None

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Change the content as it is now, one thread after the other. It is read again before and after.

        Also after an exception: Ctrl-C may come when a change is complete.
        """
        with self._lock():
            self.changed()
            try:
                yield
            finally:
                self.changed()

    def _lock(self) -> threading.Lock:
        """Return the lock of changes. Another thread may hold it when a process forks; its child gets a new one."""
        if self._process != os.getpid():
            self._reader, self._process, self._changing = None, os.getpid(), threading.Lock()
        return self._changing

    def path(self) -> str:
        """Return the path for a change.

        Raises
        ------
        io.UnsupportedOperation
            If the mode is ``"r"``, or the source is not a path.
        """
        if self.source is None:
            raise ValueError("it is closed")
        if self.mode == "r":
            raise io.UnsupportedOperation("open for reading only; mode 'r+' allows changes")
        if not isinstance(self.source, str):
            raise io.UnsupportedOperation("only a container at a path can be changed")
        if self.column is not None or os.path.isfile(os.path.join(os.path.dirname(self.source), "__rootdirs__")):
            # Columns of different lengths are no table.
            raise io.UnsupportedOperation("a column changes through its table")
        return self.source

    def token(self) -> tuple[Any, ...]:
        """Return what names the present content: equal for two handles only if their content is equal."""
        source: Any = self.source
        if isinstance(source, str):
            folder = source if self.column is None else os.path.join(source, self.column)
            return (source, self.column, version(source), version(folder))
        # A file object may change at any time.
        return (bytes(source),) if isinstance(source, (bytes, bytearray, memoryview)) else (uuid.uuid4().hex,)

    def close(self) -> None:
        """Release the source. Nothing is pending: every change is already written."""
        self.source = self._reader = None

    def __copy__(self) -> Handle:
        # The reader is shared: two readers of a file object would move its position under each other.
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__, _changing=threading.Lock())
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_reader": None, "_changing": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _changing=threading.Lock())

    def __repr__(self) -> str:
        if self.source is None:
            return "closed"
        source = repr(self.source) if isinstance(self.source, str) else f"<{type(self.source).__name__}>"
        return f"{source}, mode {self.mode!r}"
