"""The sections of a bloscpack file on file objects: header, metadata, offsets, chunks.

No number in a file decides alone how much memory is allocated: data is read in pieces, up to the end of the file.
"""

from __future__ import annotations

import os
import sys
import zlib
from array import array
from collections import OrderedDict
from typing import Any, BinaryIO

from blpk import LimitError, TruncatedError

from . import _engine, log
from .abstract_io import _check_digest
from .args import MetadataArgs, _check_metadata_arguments
from .checksums import CHECKSUMS_LOOKUP, Hash
from .constants import BLOSC_HEADER_LENGTH, BLOSCPACK_HEADER_LENGTH, MAX_CLEVEL, METADATA_HEADER_LENGTH
from .exceptions import FormatVersionMismatch, MetadataSectionTooSmall
from .headers import BloscpackHeader, MetadataHeader, check_range, decode_blosc_header
from .metacodecs import CODECS_LOOKUP
from .pretty import double_pretty_size

#: Number of bytes that are read or written at once.
_PIECE = 1 << 20
#: Largest metadata in bytes, as in the engine.
_MAX_METADATA = 16 << 20


def _read_exactly(input_fp: BinaryIO, size: int, what: str) -> bytes:
    """Read `size` bytes. Raises ``TruncatedError`` if there are fewer."""
    data = input_fp.read(min(size, _PIECE))
    if len(data) == size:
        return data
    pieces, found = [data], len(data)
    while data and found < size:
        data = input_fp.read(min(size - found, _PIECE))
        pieces.append(data)
        found += len(data)
    if found < size:
        raise TruncatedError(f"the file ends after {found} of the {size} bytes of {what}")
    return b"".join(pieces)


def _write_repeated(output_fp: BinaryIO, item: bytes, count: int) -> None:
    """Write an item `count` times."""
    piece = item * min(count, _PIECE // len(item))
    while count > 0:
        written = min(count, len(piece) // len(item))
        output_fp.write(piece[: written * len(item)])
        count -= written


def _read_bloscpack_header(input_fp: BinaryIO, version: int) -> BloscpackHeader:
    header = BloscpackHeader.decode(input_fp.read(BLOSCPACK_HEADER_LENGTH))
    log.debug(f"bloscpack header: {header!r}")
    if header.format_version != version:
        raise FormatVersionMismatch(f"the file has format version {header.format_version}, expected {version}")
    return header


def _write_metadata(output_fp: BinaryIO, metadata: Any, metadata_args: Any) -> int:
    """Write the metadata section, and return its size. Nothing is written if the metadata does not fit."""
    _check_metadata_arguments(metadata_args)
    given = MetadataArgs(**metadata_args)
    check_range("meta_level", given.meta_level, 0, MAX_CLEVEL)
    data = _engine.serializer(given.magic_format).dumps(metadata).encode()
    stored = data
    if given.should_compress:
        compressed = given.meta_codec_impl.compress(data, given.meta_level)
        if len(compressed) <= len(data):
            stored = compressed
        else:
            log.debug("compression makes the metadata longer, so it is stored as it is")
            given.nullify_codec()
    reserved = given.effective_max_meta_size(len(data))
    if len(stored) > reserved:
        raise MetadataSectionTooSmall(f"the metadata needs {len(stored)} bytes, but the section has {reserved}")
    header = MetadataHeader(
        magic_format=given.magic_format,
        meta_checksum=given.meta_checksum,
        meta_codec=given.meta_codec_name,
        meta_level=given.meta_level,
        meta_size=len(data),
        max_meta_size=reserved,
        meta_comp_size=len(stored),
    )
    checksum = CHECKSUMS_LOOKUP[given.meta_checksum]
    output_fp.write(header.encode())
    output_fp.write(stored)
    _write_repeated(output_fp, b"\0", reserved - len(stored))
    output_fp.write(checksum(stored))
    total = METADATA_HEADER_LENGTH + reserved + checksum.size
    log.debug(f"metadata section: {double_pretty_size(total)}, of which {reserved - len(stored)} bytes are spare")
    return total


def _read_metadata(input_fp: BinaryIO) -> tuple[Any, MetadataHeader]:
    """Read the metadata section, and return the metadata and its header."""
    header = MetadataHeader.decode(input_fp.read(METADATA_HEADER_LENGTH))
    log.debug(header.pformat())
    if header.meta_comp_size > header.max_meta_size:
        raise ValueError(f"the metadata has {header.meta_comp_size} bytes in a section of {header.max_meta_size}")
    stored = _read_exactly(input_fp, header.meta_comp_size, "the metadata")
    input_fp.seek(header.max_meta_size - header.meta_comp_size, os.SEEK_CUR)
    checksum = CHECKSUMS_LOOKUP[header.meta_checksum]
    digest = _read_exactly(input_fp, checksum.size, "the digest of the metadata")
    if digest:
        _check_digest("metadata", checksum, stored, digest)
    text = _decode_metadata(stored, header.meta_codec).decode()
    log.verbose(f"read metadata of size: '{header.meta_comp_size}', codec: {header.meta_codec}")
    try:
        return _engine.serializer(header.magic_format).loads(text), header
    except RecursionError:
        raise ValueError("the metadata is nested too deeply") from None


def _decode_metadata(stored: bytes, codec: str) -> bytes:
    """Decompress metadata, which may not become larger than ``_MAX_METADATA``."""
    data = stored
    if codec == "zlib":
        decoder = zlib.decompressobj()
        try:
            data = decoder.decompress(stored, _MAX_METADATA + 1)
        except zlib.error as error:
            raise ValueError(f"the metadata is damaged: {error}") from error
        if len(data) <= _MAX_METADATA and not decoder.eof:
            raise TruncatedError("the zlib stream of the metadata is incomplete")
    elif codec != "None":
        data = CODECS_LOOKUP[codec].decompress(stored)
    if len(data) > _MAX_METADATA:
        text = f"the metadata has more than {_MAX_METADATA} bytes"
        raise LimitError(text, "max_metadata", len(data), _MAX_METADATA)
    return data


def _read_offsets(input_fp: BinaryIO, bloscpack_header: BloscpackHeader) -> list[int]:
    """Read the offsets section, and return the offsets of the chunks, without spare entries."""
    if not bloscpack_header.offsets:
        return []
    if bloscpack_header.nchunks < 0:
        raise ValueError("the file has offsets, but an unknown number of chunks")
    used = _read_exactly(input_fp, 8 * bloscpack_header.nchunks, "the offsets")
    spare = 8 * bloscpack_header.max_app_chunks
    check_range("size of the spare offsets", spare, 0, (1 << 62) - 1)
    input_fp.seek(spare, os.SEEK_CUR)
    offsets = array("q", used)
    if sys.byteorder == "big":
        offsets.byteswap()
    log.debug(f"offsets: {offsets[:5].tolist()}, ...")
    return offsets.tolist()


def _write_offsets(output_fp: BinaryIO, offsets: list[int]) -> None:
    encoded = array("q", offsets)
    if sys.byteorder == "big":
        encoded.byteswap()
    output_fp.write(encoded.tobytes())


def _read_compressed_chunk_fp(
    input_fp: BinaryIO, checksum_impl: Hash
) -> tuple[bytes, OrderedDict[str, int], bytes | None]:
    """Read a chunk, and return it, the fields of its header, and its digest or None."""
    raw = _read_exactly(input_fp, BLOSC_HEADER_LENGTH, "the header of a chunk")
    fields = decode_blosc_header(raw)
    if log.LEVEL == log.DEBUG:
        log.debug(f"blosc header: {fields!r}")
    if fields["ctbytes"] < BLOSC_HEADER_LENGTH:
        raise ValueError(f"a chunk has {fields['ctbytes']} bytes, expected at least {BLOSC_HEADER_LENGTH}")
    compressed = raw + _read_exactly(input_fp, fields["ctbytes"] - BLOSC_HEADER_LENGTH, "a chunk")
    digest = _read_exactly(input_fp, checksum_impl.size, "the digest of a chunk") if checksum_impl.size else None
    return compressed, fields, digest


def _write_compressed_chunk(output_fp: BinaryIO, compressed: bytes, digest: bytes) -> None:
    output_fp.write(compressed)
    if digest:
        output_fp.write(digest)
