"""Codecs of numcodecs: ``blosc`` without C, and ``b2nd``.

:class:`B2nd` is the codec of the chunks of Blosc2 n-dimensional arrays. numcodecs finds it when blpk is installed.

:class:`Blosc` has the parameters, the configuration and the chunks of ``numcodecs.blosc.Blosc``. Call :func:`register`
to make numcodecs, and Zarr arrays of format 2, use it. Installing blpk does not replace the codec of numcodecs: its
entry point only counts where numcodecs was built without Blosc.

>>> import blpk.numcodecs, numcodecs
>>> blpk.numcodecs.register()
>>> codec = numcodecs.get_codec({"id": "blosc", "cname": "zstd", "clevel": 3})
>>> codec.decode(codec.encode(b"abc" * 100))[:6]
b'abcabc'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from numcodecs.abc import Codec  # type: ignore[import-untyped]
from numcodecs.registry import register_codec  # type: ignore[import-untyped]

from . import _core
from ._errors import DamagedError, UnsupportedError
from ._numcodecs_b2nd import B2nd

if TYPE_CHECKING:
    from ._types import Buffer

__all__ = [
    "AUTOBLOCKS",
    "AUTOSHUFFLE",
    "BITSHUFFLE",
    "NOSHUFFLE",
    "SHUFFLE",
    "B2nd",
    "Blosc",
    "ChunkError",
    "cbuffer_complib",
    "cbuffer_metainfo",
    "cbuffer_sizes",
    "compress",
    "decompress",
    "decompress_partial",
    "list_compressors",
    "register",
]

NOSHUFFLE: Final = 0
SHUFFLE: Final = 1
BITSHUFFLE: Final = 2
#: Bit shuffle for items of one byte, byte shuffle for all others.
AUTOSHUFFLE: Final = -1
#: The block size depends on codec, level and item size.
AUTOBLOCKS: Final = 0

#: The largest number of bytes that a chunk may have, compressed or not.
MAX_BUFFER_SIZE: Final = 2**31 - 1
#: C-Blosc takes larger items for bytes.
MAX_TYPESIZE: Final = 255

_FILTERS: Final = {NOSHUFFLE: "none", SHUFFLE: "shuffle", BITSHUFFLE: "bitshuffle"}
_SHUFFLES: Final = {AUTOSHUFFLE: "AUTOSHUFFLE", NOSHUFFLE: "NOSHUFFLE", SHUFFLE: "SHUFFLE", BITSHUFFLE: "BITSHUFFLE"}
_LIBRARIES: Final = {
    "blosclz": "BloscLZ",
    "lz4": "LZ4",
    "lz4hc": "LZ4",
    "snappy": "Snappy",
    "zlib": "Zlib",
    "zstd": "Zstd",
}


class ChunkError(DamagedError, RuntimeError):
    """A chunk is damaged. It is a ``RuntimeError`` because that is what numcodecs' own codec raises."""


class Blosc(Codec):  # type: ignore[misc]
    """Codec that compresses with Blosc.

    Chunks are those of C-Blosc 1, which numcodecs, C-Blosc and C-Blosc2 read.

    Parameters
    ----------
    cname : str
        ``"lz4"``, ``"lz4hc"``, ``"blosclz"``, ``"snappy"``, ``"zlib"`` or ``"zstd"``.
    clevel : int
        Compression level, 0 to 9.
    shuffle : int
        `NOSHUFFLE` (0), `SHUFFLE` (1), `BITSHUFFLE` (2) or `AUTOSHUFFLE` (-1).
    blocksize : int
        Size of a block in bytes; 0 chooses it.
    typesize : int, optional
        Size of an item in bytes. By default the item size of the buffer. As in numcodecs, it is not part of the
        configuration.
    threads : int or None
        Number of threads, None for one per core. The chunks do not depend on it, and it is not part of the
        configuration.
    limits : mapping, optional
        For decoding, as in :func:`blpk.decompress`: a chunk of a million times its size needs some. Not part of the
        configuration.

    Examples
    --------
    >>> codec = Blosc(cname="zstd", clevel=3)
    >>> chunk = codec.encode(bytes(1000))
    >>> codec.decode(chunk) == bytes(1000)
    True
    >>> codec.get_config()
    {'id': 'blosc', 'cname': 'zstd', 'clevel': 3, 'shuffle': 1, 'blocksize': 0}
    """

    codec_id = "blosc"
    NOSHUFFLE: Final = NOSHUFFLE
    SHUFFLE: Final = SHUFFLE
    BITSHUFFLE: Final = BITSHUFFLE
    AUTOSHUFFLE: Final = AUTOSHUFFLE
    max_buffer_size = MAX_BUFFER_SIZE

    def __init__(
        self,
        cname: str = "lz4",
        clevel: int = 5,
        shuffle: int = SHUFFLE,
        blocksize: int = AUTOBLOCKS,
        typesize: int | None = None,
        *,
        threads: int | None = 1,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        _check_typesize(typesize)
        self.cname = cname
        self.clevel = clevel
        self.shuffle = shuffle
        self.blocksize = blocksize
        self._typesize = typesize
        self._threads = threads
        self._limits = None if limits is None else dict(limits)

    @property
    def threads(self) -> int | None:
        """Number of threads, None for one per core."""
        return self._threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        self._threads = threads

    def encode(self, buf: Buffer) -> bytes:
        """Compress a buffer to a chunk.

        Raises
        ------
        TypeError
            For an array of objects.
        ValueError
            For a parameter out of range, and for 2 GiB or more.
        """
        if self.max_buffer_size != MAX_BUFFER_SIZE:
            _check_size(buf, self.max_buffer_size)
        return compress(
            buf, self.cname, self.clevel, self.shuffle, self.blocksize, self._typesize, threads=self._threads
        )

    def decode(self, buf: Buffer, out: Any = None) -> Any:
        """Decompress a chunk, to bytes or into the writable buffer `out`, which is then returned.

        Raises
        ------
        ChunkError
            If the chunk is damaged. `out` is then zeros as far as the chunk reaches.
        ValueError
            If `out` is too small.
        """
        if self.max_buffer_size != MAX_BUFFER_SIZE:
            _check_size(buf, self.max_buffer_size)
        return decompress(buf, out, threads=self._threads, limits=self._limits)

    def decode_partial(self, buf: Buffer, start: int, nitems: int, out: Any = None) -> Any:
        """Decompress the items from `start` to `start + nitems`. Only the blocks that hold them are decoded.

        The size of an item is the typesize of the chunk.

        Examples
        --------
        >>> codec = Blosc()
        >>> codec.decode_partial(codec.encode(b"0123456789"), 3, 4)
        b'3456'
        """
        return decompress_partial(buf, start, nitems, out, limits=self._limits)

    def __repr__(self) -> str:
        shuffle = _SHUFFLES.get(self.shuffle, self.shuffle)
        return (
            f"{type(self).__name__}(cname={self.cname!r}, clevel={self.clevel!r}, shuffle={shuffle}, "
            f"blocksize={self.blocksize})"
        )


def register() -> None:
    """Make :class:`Blosc` the codec ``blosc`` of numcodecs in this process, instead of numcodecs' own.

    :class:`B2nd` becomes the codec ``b2nd``, as it does without this call if blpk is installed.
    """
    register_codec(Blosc)
    register_codec(B2nd)


def compress(
    source: Buffer,
    cname: str | bytes,
    clevel: int,
    shuffle: int = SHUFFLE,
    blocksize: int = AUTOBLOCKS,
    typesize: int | None = None,
    *,
    threads: int | None = 1,
) -> bytes:
    """Compress a buffer to a chunk. The parameters are those of :class:`Blosc`."""
    if isinstance(cname, bytes):
        cname = cname.decode("ascii")
    if cname not in _LIBRARIES:
        raise ValueError(f"codec {cname!r} is unknown, expected one of {list_compressors()}")
    if typesize is not None:
        _check_typesize(typesize)
        if typesize > MAX_TYPESIZE:
            typesize = 1
    if shuffle == AUTOSHUFFLE:
        shuffle = BITSHUFFLE if (typesize or _itemsize(source)) == 1 else SHUFFLE
    filters = _FILTERS.get(shuffle)
    if filters is None:
        raise ValueError(f"shuffle is {shuffle!r}, expected -1, 0, 1 or 2")
    return _core.compress(
        source,
        threads=threads,
        codec=cname,
        clevel=clevel,
        filters=filters,
        blocksize=blocksize or None,
        typesize=typesize,
    )


def decompress(
    source: Buffer, dest: Any = None, *, threads: int | None = 1, limits: Mapping[str, int] | None = None
) -> Any:
    """Decompress a chunk, to bytes or into `dest`, as :meth:`Blosc.decode`."""
    try:
        return _core.decompress(source, dest, threads=threads, limits=limits)
    except (DamagedError, UnsupportedError) as error:
        raise ChunkError(str(error)) from error


def decompress_partial(
    source: Buffer, start: int, nitems: int, dest: Any = None, *, limits: Mapping[str, int] | None = None
) -> Any:
    """Decompress a range of items, to bytes or into `dest`, as :meth:`Blosc.decode_partial`."""
    try:
        return _core.getitem(source, start, nitems, dest, limits=limits)
    except (DamagedError, UnsupportedError) as error:
        raise ChunkError(str(error)) from error


def list_compressors() -> list[str]:
    """Return the names of the codecs."""
    return list(_LIBRARIES)


def cbuffer_sizes(source: Buffer) -> tuple[int, int, int]:
    """Return the uncompressed size, the compressed size and the block size of a chunk, in bytes."""
    info = _core.chunk_info(source)
    return info["nbytes"], info["cbytes"], info["blocksize"]


def cbuffer_complib(source: Buffer) -> str:
    """Return the name of the compression format of a chunk: that of LZ4HC is LZ4."""
    return _LIBRARIES[_core.chunk_info(source)["codec"]]


def cbuffer_metainfo(source: Buffer) -> tuple[int, int, bool]:
    """Return the item size of a chunk, its shuffle (0, 1 or 2), and whether the bytes are stored uncompressed."""
    info = _core.chunk_info(source)
    shuffles = [shuffle for shuffle, name in _FILTERS.items() if name in info["filters"]]
    return info["typesize"], max(shuffles, default=NOSHUFFLE), info["is_memcpyed"]


def _check_typesize(typesize: int | None) -> None:
    if typesize is not None and typesize < 1:
        raise ValueError(f"Cannot use typesize {typesize} less than 1.")


def _check_size(buf: Any, most: int) -> None:
    nbytes = buf.nbytes if hasattr(buf, "nbytes") else memoryview(buf).nbytes
    if nbytes > most:
        raise ValueError(f"the buffer has {nbytes} bytes, more than the {most} that the codec allows")


def _itemsize(source: Any) -> int:
    found = getattr(source, "itemsize", None)
    return memoryview(source).itemsize if found is None else int(found)
