"""Arguments of packing, and the division of data into chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from . import log
from .abstract_objects import MutableMappingObject
from .constants import BLOSC_MAX_BUFFERSIZE, MAX_CHUNKS
from .defaults import (
    DEFAULT_CHECKSUM,
    DEFAULT_CHUNK_SIZE,
    DEFAULT_CLEVEL,
    DEFAULT_CNAME,
    DEFAULT_MAGIC_FORMAT,
    DEFAULT_MAX_APP_CHUNKS,
    DEFAULT_MAX_META_SIZE,
    DEFAULT_META_CHECKSUM,
    DEFAULT_META_CODEC,
    DEFAULT_META_LEVEL,
    DEFAULT_OFFSETS,
    DEFAULT_SHUFFLE,
    DEFAULT_TYPESIZE,
)
from .exceptions import ChunkingException
from .headers import check_range
from .metacodecs import CODECS_AVAIL, CODECS_LOOKUP, MetaCodec
from .pretty import double_pretty_size, reverse_pretty

#: A number, or a function that computes it from the number of chunks or bytes.
Count = Union[int, Callable[[int], int]]


class BloscArgs(MutableMappingObject):
    """How chunks are compressed.

    Parameters
    ----------
    typesize : int
        Size of an item in bytes.
    clevel : int
        Level, 0 to 9.
    shuffle : bool or int
        The filter: 0 or False for none, 1 or True for shuffle, 2 for bitshuffle.
    cname : str
        Name of the codec.
    """

    _names = ("typesize", "clevel", "shuffle", "cname")

    def __init__(
        self,
        typesize: int = DEFAULT_TYPESIZE,
        clevel: int = DEFAULT_CLEVEL,
        shuffle: bool | int = DEFAULT_SHUFFLE,
        cname: str = DEFAULT_CNAME,
    ) -> None:
        self.typesize = typesize
        self.clevel = clevel
        self.shuffle = shuffle
        self.cname = cname


class BloscpackArgs(MutableMappingObject):
    """How a file is laid out.

    Parameters
    ----------
    offsets : bool
        Whether the file has the offsets of its chunks.
    checksum : str or None
        Name of the checksum of the chunks.
    max_app_chunks : int or callable
        Number of chunks that can be appended later, or a function that computes it from the number of chunks.
    """

    _names = ("offsets", "checksum", "max_app_chunks")

    def __init__(
        self,
        offsets: bool = DEFAULT_OFFSETS,
        checksum: str | None = DEFAULT_CHECKSUM,
        max_app_chunks: Count = DEFAULT_MAX_APP_CHUNKS,
    ) -> None:
        self.offsets = offsets
        self.checksum = "None" if checksum is None else checksum
        self.max_app_chunks = max_app_chunks


class MetadataArgs(MutableMappingObject):
    """How metadata is stored.

    Parameters
    ----------
    magic_format : bytes
        Name of the format, at most 8 bytes.
    meta_checksum, meta_codec : str
        Names of checksum and codec.
    meta_level : int
        Level of the codec, 0 to 9.
    max_meta_size : int or callable
        Number of bytes to reserve, or a function that computes it from the size of the metadata.
    """

    _names = ("magic_format", "meta_checksum", "meta_codec", "meta_level", "max_meta_size")

    def __init__(
        self,
        magic_format: bytes = DEFAULT_MAGIC_FORMAT,
        meta_checksum: str = DEFAULT_META_CHECKSUM,
        meta_codec: str = DEFAULT_META_CODEC,
        meta_level: int = DEFAULT_META_LEVEL,
        max_meta_size: Count = DEFAULT_MAX_META_SIZE,
    ) -> None:
        self.magic_format = magic_format
        self.meta_checksum = meta_checksum
        self.meta_codec = meta_codec
        self.meta_level = meta_level
        self.max_meta_size = max_meta_size

    @property
    def should_compress(self) -> bool:
        """Whether there is a codec."""
        return self.meta_codec != CODECS_AVAIL[0]

    def nullify_codec(self) -> None:
        """Set the codec to none."""
        self.meta_codec = CODECS_AVAIL[0]

    @property
    def meta_codec_impl(self) -> MetaCodec:
        """The codec."""
        return CODECS_LOOKUP[self.meta_codec]

    @property
    def meta_codec_name(self) -> str:
        """Name of the codec."""
        return self.meta_codec_impl.name

    def effective_max_meta_size(self, meta_size: int) -> int:
        """Return the number of bytes to reserve for `meta_size` bytes of metadata."""
        size = self.max_meta_size(meta_size) if callable(self.max_meta_size) else self.max_meta_size
        if not _is_int(size):
            raise TypeError(f"'max_meta_size' is of type '{type(size).__name__}', expected an int or a callable")
        log.debug(f"max meta size is {size}")
        return size


def _defaults(kind: type[MutableMappingObject]) -> dict[str, Any]:
    return dict(kind())


BLOSC_ARGS = BloscArgs._names
BLOSCPACK_ARGS = BloscpackArgs._names
METADATA_ARGS = MetadataArgs._names
DEFAULT_BLOSC_ARGS = _defaults(BloscArgs)
DEFAULT_BLOSCPACK_ARGS = _defaults(BloscpackArgs)
DEFAULT_METADATA_ARGS = _defaults(MetadataArgs)


def _check_blosc_args(blosc_args: Mapping[str, Any]) -> None:
    _check_keys("blosc", blosc_args, BLOSC_ARGS)


def _check_bloscpack_args(bloscpack_args: Mapping[str, Any]) -> None:
    _check_keys("bloscpack", bloscpack_args, BLOSCPACK_ARGS)


def _check_metadata_arguments(metadata_args: Mapping[str, Any]) -> None:
    _check_keys("metadata", metadata_args, METADATA_ARGS)


def _check_keys(name: str, received: Mapping[str, Any], expected: Iterable[str]) -> None:
    """Raise ``ValueError`` unless a mapping has exactly the expected keys."""
    missing, extra = set(expected) - set(received), set(received) - set(expected)
    if missing or extra:
        raise ValueError(f"{name} args: missing keys {sorted(missing)}, unexpected keys {sorted(extra)}")


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__")


def _chunk_size(chunk_size: int | str) -> int:
    """Return a chunk size in bytes, which may be given with a unit."""
    size = reverse_pretty(chunk_size) if isinstance(chunk_size, str) else chunk_size
    check_range("chunk_size", size, 1, BLOSC_MAX_BUFFERSIZE)
    return int(size)


def calculate_nchunks(in_file_size: int, chunk_size: int | str = DEFAULT_CHUNK_SIZE) -> tuple[int, int, int]:
    """Divide data into chunks.

    Parameters
    ----------
    in_file_size : int
        Size of the data in bytes.
    chunk_size : int or str
        Size of a chunk in bytes, or with a unit: ``"2M"``.

    Returns
    -------
    nchunks, chunk_size, last_chunk_size : int
        Number of chunks, their size, and the size of the last one. Data of size 0 has one chunk of size 0.

    Raises
    ------
    ValueError
        For a size out of range.
    ChunkingException
        If there are too many chunks for a header.

    Examples
    --------
    >>> calculate_nchunks(100, chunk_size=30)
    (4, 30, 10)
    """
    if in_file_size < 0:
        raise ValueError(f"'in_file_size' is {in_file_size}, expected 0 or more")
    if in_file_size == 0:
        log.verbose("Input was length zero, ignoring 'chunk_size'")
        return 1, 0, 0
    size = _chunk_size(chunk_size)
    if size > in_file_size:
        log.verbose(
            f"Input was smaller than the given 'chunk_size': {double_pretty_size(size)} "
            f"using: {double_pretty_size(in_file_size)}"
        )
        size = in_file_size
    full, rest = divmod(in_file_size, size)
    nchunks, last = (full + 1, rest) if rest else (full, size)
    if nchunks > MAX_CHUNKS:
        raise ChunkingException(f"the data has {nchunks} chunks, expected at most {MAX_CHUNKS}")
    log.verbose(f"nchunks: {nchunks}")
    log.verbose(f"chunk_size: {double_pretty_size(size)}")
    log.verbose(f"last_chunk_size: {double_pretty_size(last)}")
    return nchunks, size, last


def _handle_max_apps(offsets: bool, nchunks: int, max_app_chunks: Any) -> int:
    """Return the number of spare entries in the offsets section of a file with `nchunks` chunks."""
    check_range("nchunks", nchunks, -1, MAX_CHUNKS)
    if not offsets or nchunks == -1:
        log.debug("max_app_chunks is ignored")
        return 0
    if callable(max_app_chunks):
        number = max_app_chunks(nchunks)
        if not _is_int(number) or number < 0:
            raise ValueError(f"the callable 'max_app_chunks' returned {number!r}, expected an int of 0 or more")
    elif _is_int(max_app_chunks):
        number = max_app_chunks
        check_range("max_app_chunks", number, 0, MAX_CHUNKS)
    else:
        raise TypeError(f"'max_app_chunks' is of type '{type(max_app_chunks).__name__}', expected an int or a callable")
    # The header has no room for more.
    number = min(int(number), MAX_CHUNKS - nchunks)
    log.debug(f"max_app_chunks is {number}")
    return number
