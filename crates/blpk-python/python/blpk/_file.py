"""Plain bytes in a container, as a file object."""

from __future__ import annotations

import copy
import io
import operator
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from ._errors import DamagedError

if TYPE_CHECKING:
    from . import _core
    from ._attrs import Attributes
    from ._handle import Handle

Self = TypeVar("Self", bound="File")

#: Number of bytes that are read at once where the caller wants all.
_READ = 4 << 20

#: Number of bytes that are read at once for lines.
_LINES = 256 << 10


class File(io.RawIOBase):
    """The plain bytes of a bloscpack file, a frame or a chunk, as a file object that reads and seeks.

    Only the blocks that hold the requested bytes are decoded. Wrap it in :class:`io.BufferedReader` for many small reads,
    and that in :class:`io.TextIOWrapper` for text. Threads may share the object: each byte is read once.

    Examples
    --------
    >>> import blpk
    >>> file = blpk.open(blpk.compress(b"first line, second line"))
    >>> file.seek(12)
    12
    >>> file.read()
    b'second line'
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._at = 0
        self._process, self._moving = os.getpid(), threading.RLock()
        self._forget()

    def _forget(self) -> None:
        """Forget what was read ahead for lines."""
        self._ahead, self._ahead_at = b"", 0

    @property
    def name(self) -> str:
        """The path, or an empty string for other sources."""
        source = self._handle.source
        return source if isinstance(source, str) else ""

    @property
    def mode(self) -> str:
        """``"rb"``, as of a file that is opened to read."""
        return "rb"

    @property
    def format(self) -> str:
        """``"bloscpack"``, ``"frame"``, ``"carray"`` or ``"chunk"``."""
        return self._handle.reader().format

    @property
    def nbytes(self) -> int:
        """The number of plain bytes."""
        return self._handle.reader().nbytes

    @property
    def decoded(self) -> int:
        """Plain bytes of all blocks decoded so far."""
        return self._handle.reader().decoded

    @property
    def attrs(self) -> Attributes:
        """The attributes: JSON values by name."""
        from ._attrs import Attributes

        return Attributes(self._handle, self)

    def refresh(self) -> None:
        """Read the metadata again when it is next needed, to see what others have changed. The position stays."""
        self._expect_open()
        self._forget()
        self._handle.changed()

    def verify(self) -> None:
        """Decode all chunks and check all sizes and digests."""
        self._handle.reader().verify()

    def readable(self) -> bool:
        """True."""
        self._expect_open()
        return True

    def seekable(self) -> bool:
        """True."""
        self._expect_open()
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a writable buffer. Returns the number of bytes, which is smaller at the end or before a damaged chunk."""
        target, reader = memoryview(buffer), self._handle.reader()
        if not target.nbytes:
            return 0
        target = target.cast("B")
        with self._lock():
            target = target[: max(min(len(target), reader.nbytes - self._at), 0)]
            try:
                if len(target):
                    reader.read_bytes(self._at, target)
                count = len(target)
            except DamagedError:
                # A buffered reader reads ahead. It must not fail because of a damaged chunk after the requested bytes.
                count = self._read_whole_chunks(reader, target)
            self._at += count
            return count

    def _read_whole_chunks(self, reader: _core.Reader, target: memoryview) -> int:
        """Read up to the first damaged chunk. The error of the first chunk is raised."""
        chunk, count = reader.chunk_nbytes or _READ, 0
        while count < len(target):
            at = self._at + count
            piece = target[count : count + chunk - at % chunk]
            try:
                reader.read_bytes(at, piece)
            except DamagedError:
                if count == 0:
                    raise
                break
            count += len(piece)
        return count

    def read(self, size: int | None = -1, /) -> bytes:
        """Read `size` bytes, or all for None and -1. Fewer come at the end, or before a damaged chunk."""
        return super().read(-1 if size is None else size) or b""

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read up to the end of a line, of at most `size` bytes unless that is None or negative.

        Bytes are read ahead in pieces of 256 KiB, so that many short lines take little time.
        """
        self._expect_open()
        most = -1 if size is None else operator.index(size)
        with self._lock():
            parts: list[bytes] = []
            while most != 0:
                part = self._line_ahead(most)
                self._at += len(part)
                most -= len(part) if most > 0 else 0
                parts.append(part)
                if not part or part.endswith(b"\n"):
                    break
            return b"".join(parts)

    def _line_ahead(self, most: int) -> bytes:
        """Return the rest of the line as far as it was read ahead, at most `most` bytes. Empty at the end of the file."""
        start = self._at - self._ahead_at
        if not 0 <= start < len(self._ahead):
            at = self._at
            self._ahead, self._ahead_at, start = self.read(_LINES), at, 0
            self._at = at
        end = self._ahead.find(b"\n", start) + 1 or len(self._ahead)
        return self._ahead[start : end if most < 0 else min(end, start + most)]

    def readall(self) -> bytes:
        """Read all bytes from the position on. More than the limits allow raise LimitError before memory is taken."""
        reader = self._handle.reader()
        with self._lock():
            reader.check_output(max(reader.nbytes - self._at, 0))
            # In pieces, because the size that a damaged file states may be any.
            content = bytearray()
            while piece := self.read(_READ):
                content += piece
            return bytes(content)

    def write(self, data: Any, /) -> int:
        """Raise ``io.UnsupportedOperation``: bytes are written in modes ``"w"`` and ``"a"``, which give a Writer."""
        if self._handle.mode == "r":
            raise io.UnsupportedOperation("open for reading; modes 'w' and 'a' write")
        raise io.UnsupportedOperation(f"only bloscpack files take more plain bytes, in mode 'a'; this is a {self.format}")

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to an offset from the start, the position or the end. Returns the position."""
        self._expect_open()
        with self._lock():
            bases = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.nbytes}
            if whence not in bases:
                raise ValueError(f"whence is {whence}, expected 0, 1 or 2")
            position = bases[whence] + operator.index(offset)
            if position < 0:
                raise ValueError(f"negative position {position}")
            self._at = position
        return position

    def tell(self) -> int:
        """Return the position."""
        self._expect_open()
        return self._at

    def _lock(self) -> threading.RLock:
        """Return the lock of the position. Another thread may hold it when a process forks; its child gets a new one."""
        if self._process != os.getpid():
            self._process, self._moving = os.getpid(), threading.RLock()
        return self._moving

    def _expect_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def close(self) -> None:
        """Release the source."""
        if not self.closed:
            self._handle.close()
        super().close()

    def __copy__(self: Self) -> Self:
        # Of its own, at the start: closing the copy does not close this file.
        self._expect_open()
        return type(self)(copy.copy(self._handle))

    def __reduce__(self) -> Any:
        return type(self), (self._handle,)

    def __repr__(self) -> str:
        return f"<blpk.File of {self._handle!r}>"
