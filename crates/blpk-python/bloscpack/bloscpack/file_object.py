"""Bloscpack files as file objects of uncompressed data."""

from __future__ import annotations

import io
import os
from typing import Any

from blpk import File, _core
from blpk._handle import Handle
from blpk._writer import CommitOnClose, Spool

from . import _engine
from .defaults import DEFAULT_CHUNK_SIZE
from .file_io import _read_front
from .headers import BloscpackHeader

#: Smallest and largest number of bytes that are read at once.
_MIN_READ, _MAX_READ = 1 << 16, 4 << 20


class _PlainReader(File):
    """Reads the uncompressed data of a file, with the exceptions of this package."""

    def readinto(self, buffer: Any, /) -> int:
        with _engine.translated():
            return super().readinto(buffer)


class BloscpackFile(CommitOnClose, io.BufferedIOBase):
    """A bloscpack file, as a file object that reads or writes uncompressed data.

    A written file appears when it is closed, complete, and replaces an existing one, except in mode ``"xb"``. If a
    ``with`` block ends with an exception, or the object is never closed, nothing appears.

    Parameters
    ----------
    filename : path, optional
        The bloscpack file.
    mode : {"rb", "wb", "ab", "xb"}
        Read, write, append to a file, which is created if it does not exist, or write one that must not exist. The
        default is ``"rb"``.
    fileobj : file object, optional
        The bloscpack file, in place of `filename`. It is not closed. Reading needs ``read`` and ``seek``, writing needs
        ``write``. The modes ``"ab"`` and ``"xb"`` need a name.
    chunk_size : int or str
        Uncompressed size of a chunk in bytes, or with a unit: ``"2M"``.
    metadata : object, optional
        Metadata of a new file.
    blosc_args, bloscpack_args, metadata_args : mapping, optional
        See :class:`BloscArgs`, :class:`BloscpackArgs` and :class:`MetadataArgs`. ``max_app_chunks`` must be a number or
        the default, because the number of chunks is not known in advance.
    threads : int, optional
        Number of threads that compress, by default one per core.

    Attributes
    ----------
    metadata : object
        The metadata, None if there is none.
    bloscpack_header : BloscpackHeader or None
        The header of a file that is read.

    Examples
    --------
    >>> import io, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lines.blp")
    >>> with BloscpackFile(path, "wb") as file:
    ...     _ = file.write(b"first\\nsecond\\n")
    >>> with BloscpackFile(path) as file:
    ...     _ = file.seek(6)
    ...     file.readline()
    b'second\\n'
    >>> with io.TextIOWrapper(BloscpackFile(path)) as text:
    ...     list(text)
    ['first\\n', 'second\\n']
    """

    def __init__(
        self,
        filename: Any = None,
        mode: str | None = None,
        fileobj: Any = None,
        *,
        chunk_size: int | str = DEFAULT_CHUNK_SIZE,
        metadata: Any = None,
        blosc_args: Any = None,
        bloscpack_args: Any = None,
        metadata_args: Any = None,
        threads: int | None = None,
    ) -> None:
        self._raw: _PlainReader | None = None
        self._buffer: io.BufferedReader | None = None
        self._opened: Any = None
        self.bloscpack_header: BloscpackHeader | None = None
        self.metadata = metadata
        if (filename is None) == (fileobj is None):
            raise TypeError("expected either a filename or a fileobj")
        if not isinstance(mode, (str, type(None))):
            raise TypeError(f"the mode is a str, not {type(mode).__name__}")
        self.mode = (mode or "rb").replace("b", "") + "b"
        self.name = os.fsdecode(filename) if filename is not None else getattr(fileobj, "name", "")
        if self.mode == "rb":
            self._open_to_read(fileobj)
            return
        if self.mode not in ("wb", "ab", "xb"):
            raise ValueError(f"the mode is {mode!r}, expected 'rb', 'wb', 'ab' or 'xb'")
        if self.mode in ("ab", "xb") and fileobj is not None:
            raise ValueError(f"the mode {mode!r} needs a filename")
        if self.mode == "ab" and os.path.exists(self.name):
            self._open_to_append(blosc_args)
            return
        arguments = _engine.layout(None, chunk_size, metadata, blosc_args, bloscpack_args, metadata_args)
        target, overwrite = self.name if fileobj is None else fileobj, self.mode != "xb"
        self._packer = _core.Packer(target, overwrite=overwrite, threads=threads, **arguments)

    def _open_to_read(self, fileobj: Any) -> None:
        if fileobj is None:
            fileobj = self._opened = open(self.name, "rb")
        try:
            fileobj.seek(0)
            self.bloscpack_header, self.metadata, _ = _read_front(fileobj)
            with _engine.translated():
                source = self.name if self._opened else fileobj
                self._raw = _PlainReader(Handle(source))
        except BaseException:
            self._close_opened()
            raise
        buffer_size = min(max(self.bloscpack_header.chunk_size, _MIN_READ), _MAX_READ)
        self._buffer = io.BufferedReader(self._raw, buffer_size)

    def _open_to_append(self, blosc_args: Any) -> None:
        from .append import _append_args

        with open(self.name, "rb") as fp:
            header, self.metadata, _ = _read_front(fp)
        if not header.offsets:
            raise RuntimeError("the file has no offsets, which appending needs")
        self._append_args = _engine.compression(_append_args(blosc_args, header))
        # The number of new chunks decides whether they fit, so the data waits until it is complete.
        self._spool = Spool("bloscpack-")

    def _close_opened(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def _reading(self) -> io.BufferedReader:
        self._check_open()
        if self._buffer is None:
            raise io.UnsupportedOperation("the file is open for writing")
        return self._buffer

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def readable(self) -> bool:
        """Whether the file is open for reading."""
        self._check_open()
        return self._buffer is not None

    def writable(self) -> bool:
        """Whether the file is open for writing."""
        self._check_open()
        return self._buffer is None

    def seekable(self) -> bool:
        """Whether the file can seek: when it is open for reading."""
        return self.readable()

    def read(self, size: int | None = -1, /) -> bytes:
        """Read `size` bytes, or all."""
        return self._reading().read(size)

    def read1(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes, from the buffer if it has any."""
        return self._reading().read1(size)

    def readinto(self, buffer: Any, /) -> int:
        """Read into a writable buffer, and return the number of bytes."""
        return self._reading().readinto(buffer)

    def peek(self, size: int = 0, /) -> bytes:
        """Return bytes from the position on without moving it."""
        return self._reading().peek(size)

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read up to the end of the line."""
        return self._reading().readline(-1 if size is None else size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Set the position in the uncompressed data."""
        return self._reading().seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the uncompressed data, or the number of bytes written."""
        self._check_open()
        return self._written() if self._buffer is None else self._buffer.tell()

    def write(self, data: Any, /) -> int:
        """Write all bytes of a buffer, and return their number."""
        self._check_open()
        if self._buffer is not None:
            raise io.UnsupportedOperation("the file is open for reading")
        with _engine.translated():
            return self._write(data)

    def close(self) -> None:
        """Complete a file that is written, and close it."""
        if self.closed:
            return
        try:
            if self._packer is not None:
                with _engine.translated():
                    self._packer.finish()
            elif self._spool is not None:
                _engine.append_to_file(self.name, self._spool.name, self._written(), **self._append_args)
        finally:
            self.discard()

    def discard(self) -> None:
        """Close the file without completing it. Written data is dropped."""
        self._close_opened()
        super().discard()

    def __repr__(self) -> str:
        return f"<BloscpackFile {self.name!r} mode={self.mode!r}{' closed' if self.closed else ''}>"
