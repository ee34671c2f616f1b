"""Headers: of a bloscpack file, of its metadata, of a chunk.

A header of any format version can be built and decoded. Only the functions that read files insist on version 3.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from typing import Any

from ._fields import (
    _check_bytes,
    check_options,
    check_options_zero,
    check_range,
    create_metadata_options,
    create_options,
    decode_bitfield,
    decode_int32,
    decode_int64,
    decode_magic_string,
    decode_metadata_options,
    decode_options,
    decode_uint32,
    decode_uint8,
    encode_int32,
    encode_int64,
    encode_uint32,
    encode_uint8,
)
from .abstract_objects import MutableMappingObject
from .checksums import CHECKSUMS_AVAIL, CHECKSUMS_LOOKUP, Hash, check_valid_checksum
from .constants import (
    BLOSC_HEADER_LENGTH,
    BLOSC_MAX_BUFFERSIZE,
    BLOSC_MAX_TYPESIZE,
    BLOSCPACK_HEADER_LENGTH,
    CNAME_MAPPING,
    FORMAT_VERSION,
    MAGIC,
    MAX_CHUNKS,
    MAX_CLEVEL,
    MAX_FORMAT_VERSION,
    MAX_META_SIZE,
    METADATA_HEADER_LENGTH,
)
from .metacodecs import CODECS_AVAIL, check_valid_codec

__all__ = [
    "BloscpackHeader",
    "MAX_CHUNKS",
    "MetadataHeader",
    "check_options",
    "check_options_zero",
    "check_range",
    "create_metadata_options",
    "create_options",
    "decode_bitfield",
    "decode_blosc_flags",
    "decode_blosc_header",
    "decode_int32",
    "decode_int64",
    "decode_magic_string",
    "decode_metadata_options",
    "decode_options",
    "decode_uint32",
    "decode_uint8",
    "encode_int32",
    "encode_int64",
    "encode_uint32",
    "encode_uint8",
]

#: magic, format version, options, checksum, typesize, chunk_size, last_chunk, nchunks, max_app_chunks
_BLOSCPACK = struct.Struct("<4sBBBBiiqq")
#: magic_format, options, checksum, codec, level, meta_size, max_meta_size, meta_comp_size, user_codec
_METADATA = struct.Struct("<8sBBBBIII8s")
#: version, versionlz, flags, typesize, nbytes, blocksize, ctbytes
_CHUNK = struct.Struct("<BBBBIII")

_CHUNK_FIELDS = ("version", "versionlz", "flags", "typesize", "nbytes", "blocksize", "ctbytes")


def decode_blosc_header(buffer_: Any) -> OrderedDict[str, int]:
    """Return the fields of the header of a chunk.

    Raises
    ------
    ValueError
        If there are fewer than 16 bytes.
    """
    view = memoryview(buffer_)
    if view.nbytes < BLOSC_HEADER_LENGTH:
        raise ValueError(f"the header of a chunk has {view.nbytes} bytes, expected {BLOSC_HEADER_LENGTH}")
    return OrderedDict(zip(_CHUNK_FIELDS, _CHUNK.unpack_from(view)))


def decode_blosc_flags(byte_: int) -> OrderedDict[str, bool | str]:
    """Return filter, codec and layout of a chunk from its flags.

    ``split_blocks`` has the name that bloscpack gives to the bit. C-Blosc sets it if blocks are *not* split.
    """
    flags: OrderedDict[str, bool | str] = OrderedDict()
    for name, bit in (("byte_shuffle", 0), ("pure_memcpy", 1), ("bit_shuffle", 2), ("split_blocks", 4)):
        flags[name] = bool(byte_ >> bit & 1)
    flags["codec"] = CNAME_MAPPING[byte_ >> 5 & 7]
    return flags


def _named(number: int, names: list[str], what: str) -> str:
    if number >= len(names):
        raise IndexError(f"{what} {number} does not exist, expected 0 to {len(names) - 1}")
    return names[number]


class BloscpackHeader(MutableMappingObject):
    """Header of a bloscpack file.

    Parameters
    ----------
    format_version : int
        Version of the format.
    offsets, metadata : bool
        Whether the file has these sections.
    checksum : str
        Name of the checksum of the chunks.
    typesize : int
        Size of an item in bytes.
    chunk_size, last_chunk : int
        Uncompressed size of the chunks, and of the last one; -1 if unknown.
    nchunks : int
        Number of chunks; -1 if unknown.
    max_app_chunks : int
        Number of spare entries in the offsets section.

    Raises
    ------
    ValueError
        For a value out of range.
    TypeError
        For a value of another type.
    """

    _names = (
        "format_version",
        "offsets",
        "metadata",
        "checksum",
        "typesize",
        "chunk_size",
        "last_chunk",
        "nchunks",
        "max_app_chunks",
    )
    _sizes = ("chunk_size", "last_chunk")

    def __init__(
        self,
        format_version: int = FORMAT_VERSION,
        offsets: bool = False,
        metadata: bool = False,
        checksum: str = "None",
        typesize: int = 0,
        chunk_size: int = -1,
        last_chunk: int = -1,
        nchunks: int = -1,
        max_app_chunks: int = 0,
    ) -> None:
        check_range("format_version", format_version, 0, MAX_FORMAT_VERSION)
        check_valid_checksum(checksum)
        check_range("typesize", typesize, 0, BLOSC_MAX_TYPESIZE)
        check_range("chunk_size", chunk_size, -1, BLOSC_MAX_BUFFERSIZE)
        check_range("last_chunk", last_chunk, -1, BLOSC_MAX_BUFFERSIZE)
        check_range("nchunks", nchunks, -1, MAX_CHUNKS)
        check_range("max_app_chunks", max_app_chunks, 0, MAX_CHUNKS)
        if nchunks == -1 and max_app_chunks != 0:
            raise ValueError(f"'max_app_chunks' is {max_app_chunks}, expected 0 because 'nchunks' is unknown")
        check_range("nchunks + max_app_chunks", max(nchunks, 0) + max_app_chunks, 0, MAX_CHUNKS)
        if -1 < chunk_size < last_chunk:
            raise ValueError(f"'last_chunk' ({last_chunk}) is larger than 'chunk_size' ({chunk_size})")
        self.format_version = format_version
        self.offsets = offsets
        self.metadata = metadata
        self.checksum = checksum
        self.typesize = typesize
        self.chunk_size = chunk_size
        self.last_chunk = last_chunk
        self.nchunks = nchunks
        self.max_app_chunks = max_app_chunks

    @property
    def checksum_impl(self) -> Hash:
        """The checksum of the chunks."""
        return CHECKSUMS_LOOKUP[self.checksum]

    @property
    def total_prospective_chunks(self) -> int | None:
        """Number of entries of the offsets section, used and spare; None if unknown."""
        return None if self.nchunks < 0 else self.nchunks + self.max_app_chunks

    @property
    def nbytes(self) -> int | None:
        """Number of uncompressed bytes; None if unknown."""
        if min(self.chunk_size, self.last_chunk, self.nchunks) < 0:
            return None
        return (self.nchunks - 1) * self.chunk_size + self.last_chunk if self.nchunks else 0

    def encode(self) -> bytes:
        """Return the header as 32 bytes."""
        return _BLOSCPACK.pack(
            MAGIC,
            self.format_version,
            int(create_options(offsets=self.offsets, metadata=self.metadata), 2),
            CHECKSUMS_AVAIL.index(self.checksum),
            self.typesize,
            self.chunk_size,
            self.last_chunk,
            self.nchunks,
            self.max_app_chunks,
        )

    @staticmethod
    def decode(buffer_: bytes) -> BloscpackHeader:
        """Return the header that 32 bytes contain.

        Raises
        ------
        ValueError
            If there is another number of bytes, if they do not start with the magic number, or for a value out of
            range.
        IndexError
            If the checksum does not exist.
        """
        if len(buffer_) != BLOSCPACK_HEADER_LENGTH:
            raise ValueError(
                f"attempting to decode a bloscpack header of length '{len(buffer_)}', not '{BLOSCPACK_HEADER_LENGTH}'"
            )
        magic, version, options, checksum, *numbers = _BLOSCPACK.unpack(buffer_)
        if magic != MAGIC:
            raise ValueError(f"the magic marker {MAGIC!r} is missing from the bloscpack header, found {magic!r}")
        sections = decode_options(decode_bitfield(options))
        name = _named(checksum, CHECKSUMS_AVAIL, "checksum")
        return BloscpackHeader(version, sections["offsets"], sections["metadata"], name, *numbers)


class MetadataHeader(MutableMappingObject):
    """Header of the metadata section.

    Parameters
    ----------
    magic_format : bytes
        Name of the format.
    meta_options : str
        Eight binary digits, all zero.
    meta_checksum, meta_codec : str
        Names of checksum and codec.
    meta_level : int
        Level of the codec.
    meta_size, meta_comp_size : int
        Size of the metadata before and after compression.
    max_meta_size : int
        Number of bytes reserved for the metadata.
    user_codec : bytes
        Name of another codec. Nothing uses it.
    """

    _names = (
        "magic_format",
        "meta_options",
        "meta_checksum",
        "meta_codec",
        "meta_level",
        "meta_size",
        "max_meta_size",
        "meta_comp_size",
        "user_codec",
    )
    _sizes = ("meta_size", "max_meta_size", "meta_comp_size")

    def __init__(
        self,
        magic_format: bytes = b"",
        meta_options: str = "00000000",
        meta_checksum: str = "None",
        meta_codec: str = "None",
        meta_level: int = 0,
        meta_size: int = 0,
        max_meta_size: int = 0,
        meta_comp_size: int = 0,
        user_codec: bytes = b"",
    ) -> None:
        _check_bytes("magic_format", magic_format, 8)
        check_options(meta_options)
        check_valid_checksum(meta_checksum)
        check_valid_codec(meta_codec)
        check_range("meta_level", meta_level, 0, MAX_CLEVEL)
        for name, size in (("meta_size", meta_size), ("max_meta_size", max_meta_size)):
            check_range(name, size, 0, MAX_META_SIZE)
        check_range("meta_comp_size", meta_comp_size, 0, MAX_META_SIZE)
        _check_bytes("user_codec", user_codec, 8)
        self.magic_format = magic_format
        self.meta_options = meta_options
        self.meta_checksum = meta_checksum
        self.meta_codec = meta_codec
        self.meta_level = meta_level
        self.meta_size = meta_size
        self.max_meta_size = max_meta_size
        self.meta_comp_size = meta_comp_size
        self.user_codec = user_codec

    def encode(self) -> bytes:
        """Return the header as 32 bytes."""
        return _METADATA.pack(
            self.magic_format,
            int(self.meta_options, 2),
            CHECKSUMS_AVAIL.index(self.meta_checksum),
            CODECS_AVAIL.index(self.meta_codec),
            self.meta_level,
            self.meta_size,
            self.max_meta_size,
            self.meta_comp_size,
            self.user_codec,
        )

    @staticmethod
    def decode(buffer_: bytes) -> MetadataHeader:
        """Return the header that 32 bytes contain.

        Raises
        ------
        ValueError
            If there is another number of bytes, or for a value out of range.
        IndexError
            If checksum or codec do not exist.
        """
        if len(buffer_) != METADATA_HEADER_LENGTH:
            raise ValueError(
                f"attempting to decode a metadata header of length '{len(buffer_)}', not '{METADATA_HEADER_LENGTH}'"
            )
        magic, options, checksum, codec, level, size, max_size, comp_size, user_codec = _METADATA.unpack(buffer_)
        return MetadataHeader(
            decode_magic_string(magic),
            decode_bitfield(options),
            _named(checksum, CHECKSUMS_AVAIL, "checksum"),
            _named(codec, CODECS_AVAIL, "metadata codec"),
            level,
            size,
            max_size,
            comp_size,
            decode_magic_string(user_codec),
        )
