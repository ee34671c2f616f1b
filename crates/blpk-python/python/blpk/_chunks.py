"""Chunks: one compressed buffer with a header, as C-Blosc and C-Blosc2 write and read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from . import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ._types import Buffer, Format, Goal

    Output = TypeVar("Output", bound=Buffer)


class ChunkInfo(NamedTuple):
    """What the header of a chunk says. Sizes are in bytes."""

    #: ``"blosc1"`` or ``"blosc2"``.
    format: str
    #: Size of the plain bytes.
    nbytes: int
    #: Size of the chunk.
    cbytes: int
    #: Size of a block; the last one may be shorter.
    blocksize: int
    nblocks: int
    #: Size of an item.
    typesize: int
    #: Name of the codec, or None for one that a program registers.
    codec: str | None
    #: The filters, in the order in which compression applies them.
    filters: list[str]
    #: Whether each byte of the items is a stream of its own.
    is_split: bool
    #: Whether the bytes are stored without compression.
    is_memcpyed: bool
    has_dictionary: bool
    #: The value that a chunk without stored bytes repeats, or None.
    special: str | None


def compress(
    data: Buffer,
    *,
    codec: str | None = None,
    clevel: int | None = None,
    typesize: int | None = None,
    filters: str | Sequence[str] | None = None,
    blocksize: int | None = None,
    format: Format = "blosc1",
    auto: bool | Goal | None = None,
    threads: int | None = 1,
) -> bytes:
    """Compress a buffer to one chunk.

    Parameters
    ----------
    data : buffer
        Any object with the buffer protocol, of less than 2 GiB. Contiguous memory is compressed as it is, so that an array
        in Fortran order has its items in that order. Other memory is copied first, in C order. It must not change during
        the call.
    codec : str, optional
        ``"blosclz"``, ``"lz4"`` (the default), ``"lz4hc"``, ``"snappy"``, ``"zlib"`` or ``"zstd"``.
    clevel : int, optional
        Compression level, 0 to 9; 5 by default.
    typesize : int, optional
        Size of an item in bytes. By default the item size of the buffer. More than 255 counts as 1, as in C-Blosc.
    filters : str or sequence of str, optional
        ``"shuffle"`` (the default), ``"bitshuffle"``, ``"none"``; in Blosc2 chunks also ``"delta"``,
        ``"trunc-prec:10"``, ``"bytedelta"`` and pipelines of up to six, in the order of compression.
    blocksize : int, optional
        Size of a block in bytes. By default it depends on codec, level and typesize.
    format : {"blosc1", "blosc2"}
        ``"blosc1"`` chunks are read by C-Blosc and C-Blosc2, ``"blosc2"`` chunks by C-Blosc2 only.
    auto : bool or str, optional
        Choose what is not given from a sample of the data: True or ``"balanced"``, ``"fast"``, ``"small"``, a speed such as
        ``"500MB/s"`` or a ratio such as ``"ratio:3"``. The choice depends on the data only.
    threads : int or None
        Number of threads, None for one per core. The chunk does not depend on it.

    Returns
    -------
    bytes
        The chunk.

    Raises
    ------
    ValueError
        For a parameter out of range, and for 2 GiB or more.

    Examples
    --------
    >>> import array, blpk
    >>> numbers = array.array("i", range(10_000))
    >>> chunk = blpk.compress(numbers, codec="zstd")
    >>> len(chunk) < 1000
    True
    >>> blpk.chunk_info(chunk).typesize
    4
    """
    return _core.compress(
        data,
        threads=threads,
        codec=codec,
        clevel=clevel,
        typesize=typesize,
        filters=filters,
        blocksize=blocksize,
        format=format,
        auto=auto,
    )


@overload
def decompress(
    chunk: Buffer, out: None = None, *, threads: int | None = 1, limits: Mapping[str, int] | None = None
) -> bytes: ...
@overload
def decompress(
    chunk: Buffer, out: Output, *, threads: int | None = 1, limits: Mapping[str, int] | None = None
) -> Output: ...
def decompress(
    chunk: Buffer, out: Any = None, *, threads: int | None = 1, limits: Mapping[str, int] | None = None
) -> Any:
    """Decompress a chunk.

    Parameters
    ----------
    chunk : buffer
        A chunk of C-Blosc or C-Blosc2. It must not change during the call.
    out : writable buffer, optional
        Contiguous memory for the plain bytes, at least as many as the chunk has.
    threads : int or None
        Number of threads, None for one per core.
    limits : mapping, optional
        ``max_nbytes``: the largest result; ``max_memory``: memory besides it; ``max_unearned``: plain bytes beyond 4096
        for each compressed byte. Containers also have ``max_chunk``, ``max_chunks`` and ``max_metadata``, 16 MiB.

    Returns
    -------
    bytes or out
        The plain bytes, or `out`.

    Raises
    ------
    DamagedError
        If the chunk is damaged. `out` is then zeros as far as the chunk reaches.
    LimitError
        If the chunk needs more than the limits allow. Nothing is allocated then.

    Examples
    --------
    >>> import blpk
    >>> chunk = blpk.compress(b"abc" * 100)
    >>> blpk.decompress(chunk)[:6]
    b'abcabc'
    >>> out = bytearray(300)
    >>> blpk.decompress(chunk, out=out) is out
    True
    """
    return _core.decompress(chunk, out, threads=threads, limits=None if limits is None else dict(limits))


def getitem(chunk: Buffer, start: int, nitems: int, *, limits: Mapping[str, int] | None = None) -> bytes:
    """Decompress a range of items. Only the blocks that hold them are decoded.

    Parameters
    ----------
    chunk : buffer
        A chunk of C-Blosc or C-Blosc2.
    start, nitems : int
        The first item, and the number of items. The size of an item is the chunk's typesize.
    limits : mapping, optional
        As for :func:`decompress`.

    Examples
    --------
    >>> import blpk
    >>> chunk = blpk.compress(b"0123456789", typesize=1)
    >>> blpk.getitem(chunk, 3, 4)
    b'3456'
    """
    return _core.getitem(chunk, start, nitems, limits=None if limits is None else dict(limits))


def chunk_info(chunk: Buffer) -> ChunkInfo:
    """Return what the header of a chunk says. Nothing is decoded; 16 or 32 bytes are enough.

    Examples
    --------
    >>> import blpk
    >>> info = blpk.chunk_info(blpk.compress(bytes(1000), codec="zlib"))
    >>> info.nbytes, info.codec, info.filters
    (1000, 'zlib', ['shuffle'])
    """
    return ChunkInfo(**_core.chunk_info(chunk))
