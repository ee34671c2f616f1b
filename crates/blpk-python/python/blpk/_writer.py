"""Plain bytes written to a bloscpack file."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping
from typing import Any

from . import _core


class Spool:
    """A temporary file. A child by fork does not delete the file of its parent."""

    def __init__(self, prefix: str) -> None:
        import tempfile

        descriptor, self.name = tempfile.mkstemp(prefix=prefix)
        # Without a buffer, of which a child would write its copy, too.
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._process = os.getpid()

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):
            written += self._file.write(view[written:]) or 0
        return written

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        if self._process == os.getpid():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.name)


class CommitOnClose(io.IOBase):
    """A file object whose file appears when it is closed, and not after an exception or if it is never closed."""

    _packer: Any = None
    _spool: Spool | None = None

    def _write(self, data: Any) -> int:
        """Write all bytes of a buffer. Threads may share the object: they write one after the other."""
        # Another thread may close the object at any time.
        packer, spool = self._packer, self._spool
        if packer is not None:
            count: int = packer.write(data)
        elif spool is not None:
            view = memoryview(data)
            count = spool.write(view if view.c_contiguous and view.nbytes else view.tobytes())
        else:
            raise ValueError("I/O operation on closed file")
        return count

    def _written(self) -> int:
        """Return the number of bytes written so far."""
        packer, spool = self._packer, self._spool
        if packer is None and spool is None:
            raise ValueError("I/O operation on closed file")
        count: int = packer.written if spool is None else spool.tell()
        return count

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Also for copies, one of which would end the file of the other.
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it has a file that is not complete")

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

    The file appears when it is closed, complete. If a ``with`` block of this object ends with an exception, or the
    object is never closed, nothing appears. For many small writes, wrap it in :class:`io.BufferedWriter` within the
    block, and call ``flush`` at its end. A wrapper that is closed, also by its own ``with`` block or when it is deleted,
    closes this object: the file is then complete even after an exception.

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

    def __init__(
        self, path: Any, mode: str, threads: int | None, limits: Mapping[str, int] | None = None, **settings: Any
    ) -> None:
        self.name, self._start = os.fspath(path), 0
        self._options: dict[str, Any] = {"threads": threads, "limits": None if limits is None else dict(limits)}
        # The file stays the same if the working directory changes.
        self._path = os.path.abspath(self.name)
        if settings.get("codec") is None:
            settings.setdefault("auto", True)
        if mode == "a" and os.path.lexists(self.name):
            # Appending changes the file once, when all data is there. Wrong settings are an error before that.
            _core.compress(b"", threads=threads, **{name: settings[name] for name in settings if name != "metadata"})
            self._start = _core.Reader.open(self._path, **self._options).nbytes
            self._spool, self._settings = Spool("blpk-"), settings
        else:
            self._packer = _core.Packer(self._path, overwrite=mode == "w", **self._options, **settings)

    @property
    def mode(self) -> str:
        """``"wb"``, as of a file that is opened to write."""
        return "wb"

    def writable(self) -> bool:
        """True."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return True

    def write(self, data: Any, /) -> int:
        """Write all bytes of a buffer. Returns their number."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return self._write(data)

    def readinto(self, buffer: Any, /) -> int:
        """Raise ``io.UnsupportedOperation``: mode ``"r"`` reads."""
        raise io.UnsupportedOperation("open for writing; mode 'r' reads")

    def tell(self) -> int:
        """Return the number of bytes of the file, those of an existing one included."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return self._start + self._written()

    def close(self) -> None:
        """Complete the file."""
        if self.closed:
            return
        try:
            if self._packer is not None:
                self._packer.finish()
            elif self._spool is not None and self._written():
                _core.append_to_file(self._path, self._spool.name, **self._options, **self._settings)
        finally:
            self.discard()

    def __repr__(self) -> str:
        return f"<blpk.Writer {self.name!r}{' closed' if self.closed else ''}>"
