"""Plain bytes written to a bloscpack file."""

from __future__ import annotations

import io
import os
from typing import Any

from . import _core


class CommitOnClose(io.IOBase):
    """A file object whose file appears when it is closed, and not after an exception or if it is never closed."""

    _packer: Any = None
    _spool: Any = None

    def discard(self) -> None:
        """Close the object without a file."""
        packer, spool, self._packer, self._spool = self._packer, self._spool, None, None
        if packer is not None:
            packer.abort()
        if spool is not None:
            spool.close()
        super().close()

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is not None:
            self.discard()
        self.close()

    def __del__(self) -> None:
        # The base class would close, and so complete, a file that may be incomplete.
        if self._packer is not None or self._spool is not None:
            self.discard()


class Writer(CommitOnClose, io.RawIOBase):
    """A file object that compresses what is written to it.

    The file appears when it is closed, complete. If a ``with`` block ends with an exception, or the object is never
    closed, nothing appears. For many small writes, wrap it in :class:`io.BufferedWriter`.

    Examples
    --------
    >>> import tempfile, blpk
    >>> path = tempfile.mkdtemp() + "/log.blp"
    >>> with blpk.open(path, "w") as file:
    ...     file.write(b"one, two")
    8
    >>> blpk.open(path).read()
    b'one, two'
    """

    def __init__(self, path: Any, mode: str, threads: int | None, **settings: Any) -> None:
        self.name, self._threads, self._at = os.fspath(path), threads, 0
        if settings.get("codec") is None:
            settings.setdefault("auto", True)
        if mode == "a" and os.path.lexists(self.name):
            import tempfile

            # Appending changes the file once, when all data is there.
            self._spool, self._settings = tempfile.NamedTemporaryFile(prefix="blpk-"), settings
        else:
            self._packer = _core.Packer(self.name, overwrite=mode == "w", threads=threads, **settings)

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        count = memoryview(data).nbytes
        if self._packer is not None:
            self._packer.write(data)
        else:
            self._spool.write(data)
        self._at += count
        return count

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        """Complete the file."""
        if self.closed:
            return
        try:
            if self._packer is not None:
                self._packer.finish()
            elif self._at:
                self._spool.flush()
                _core.append_to_file(self.name, self._spool.name, threads=self._threads, **self._settings)
        finally:
            self.discard()

    def __repr__(self) -> str:
        return f"<blpk.Writer {self.name!r}{' closed' if self.closed else ''}>"
