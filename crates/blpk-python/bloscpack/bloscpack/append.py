"""Append data to a bloscpack file, and replace its metadata."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

from . import _engine, log
from ._sections import (
    _read_compressed_chunk_fp,
    _read_metadata,
    _write_compressed_chunk,
    _write_metadata,
    _write_offsets,
)
from .abstract_io import _check_digest
from .args import BLOSC_ARGS, METADATA_ARGS, BloscArgs, MetadataArgs, _check_blosc_args, _chunk_size
from .checksums import CHECKSUMS_LOOKUP, check_valid_checksum
from .constants import BLOSCPACK_HEADER_LENGTH, MAX_CLEVEL, METADATA_HEADER_LENGTH
from .defaults import DEFAULT_CHUNK_SIZE, DEFAULT_META_CODEC, DEFAULT_META_LEVEL
from .exceptions import ChecksumLengthMismatch, NoChangeInMetadata, NoMetadataFound, NotEnoughSpace
from .file_io import _read_beginning, _read_bloscpack_header
from .headers import BloscpackHeader, check_range
from .metacodecs import check_valid_codec
from .pretty import double_pretty_size
from .serializers import check_valid_serializer

_NO_OFFSETS = "the file has no offsets, which appending needs"


def append_fp(
    original_fp: BinaryIO, new_content_fp: BinaryIO, new_size: int, blosc_args: Mapping[str, Any] | None = None
) -> int:
    """Append data to a bloscpack file, both as file objects.

    The file is changed in place. After an exception, it is restored. If the process dies, it is damaged, other than
    after :func:`append`.

    Parameters
    ----------
    original_fp : file object
        The bloscpack file, at its start. It must read, write and seek.
    new_content_fp : file object
        The data.
    new_size : int
        Number of bytes to append, or all bytes if there are fewer.
    blosc_args : mapping, optional
        How new chunks are compressed. Values of None have their default, and the typesize that of the file.

    Returns
    -------
    int
        Number of new chunks. The last chunk of the file is filled first and does not count.

    Raises
    ------
    RuntimeError
        If the file has no offsets.
    NotEnoughSpace
        If the offsets section has no entries left.
    """
    header, _, metadata_header, offsets = _read_beginning(original_fp)
    if not offsets:
        raise RuntimeError(_NO_OFFSETS)
    arguments = BloscArgs(**_append_args(blosc_args, header))
    offsets_at = BLOSCPACK_HEADER_LENGTH
    if metadata_header is not None:
        digest_size = CHECKSUMS_LOOKUP[metadata_header.meta_checksum].size
        offsets_at += METADATA_HEADER_LENGTH + metadata_header.max_meta_size + digest_size

    first_chunk = offsets_at + 8 * (header.nchunks + header.max_app_chunks)
    if offsets[-1] < first_chunk:
        raise ValueError(f"the offset of the last chunk is {offsets[-1]}, expected at least {first_chunk}")
    original_fp.seek(offsets[-1])
    compressed, _, digest = _read_compressed_chunk_fp(original_fp, header.checksum_impl)
    _check_digest("the last chunk", header.checksum_impl, compressed, digest or b"")
    last = _engine.decompress(compressed)
    chunk_size = header.chunk_size or _chunk_size(DEFAULT_CHUNK_SIZE)
    if chunk_size < len(last):
        raise ValueError(f"the last chunk has {len(last)} bytes of data, expected at most {chunk_size}")
    _check_space(header, new_size - (chunk_size - len(last)), chunk_size)
    if new_size <= 0:
        return 0

    original_fp.seek(offsets[-1])
    old_tail = original_fp.read()
    grown, starts = header, offsets
    try:
        grown, starts = _append_chunks(
            original_fp, new_content_fp, new_size, last, chunk_size, arguments, header, offsets
        )
        original_fp.truncate()
        _write_front(original_fp, grown, offsets_at, starts)
    except BaseException:
        _write_front(original_fp, header, offsets_at, offsets + [-1] * (len(starts) - len(offsets)))
        original_fp.seek(offsets[-1])
        original_fp.write(old_tail)
        original_fp.truncate()
        raise
    return grown.nchunks - header.nchunks


def _write_front(fp: BinaryIO, header: BloscpackHeader, offsets_at: int, offsets: list[int]) -> None:
    """Write the header and the offsets of a file."""
    fp.seek(0)
    fp.write(header.encode())
    fp.seek(offsets_at)
    _write_offsets(fp, offsets)


def _append_args(blosc_args: Mapping[str, Any] | None, header: BloscpackHeader) -> dict[str, Any]:
    """Return complete arguments for the new chunks of a file."""
    given = dict.fromkeys(BLOSC_ARGS) if blosc_args is None else dict(blosc_args)
    _check_blosc_args(given)
    defaults = BloscArgs(typesize=max(header.typesize, 1))
    return {name: defaults[name] if value is None else value for name, value in given.items()}


def _check_space(header: BloscpackHeader, surplus: int, chunk_size: int) -> None:
    needed = -(-max(surplus, 0) // chunk_size)
    if needed > header.max_app_chunks:
        room = header.max_app_chunks
        raise NotEnoughSpace(f"{needed} more chunks do not fit, the offsets section has room for {room}")


def _append_chunks(
    original_fp: BinaryIO,
    new_content_fp: BinaryIO,
    new_size: int,
    last: bytes,
    chunk_size: int,
    arguments: BloscArgs,
    header: BloscpackHeader,
    offsets: list[int],
) -> tuple[BloscpackHeader, list[int]]:
    """Write the last chunk with new data, and new chunks. Return the new header and the new offsets."""
    original_fp.seek(offsets[-1])
    starts, size, left = offsets[:-1], 0, new_size
    data = last
    while True:
        added = _read_up_to(new_content_fp, min(chunk_size - len(data), left))
        data, left = data + added, left - len(added)
        # The last chunk is written again even if nothing is added to it.
        if not data and len(starts) >= header.nchunks:
            break
        size = len(data)
        starts.append(original_fp.tell())
        compressed = _engine.compress(data, arguments)
        _write_compressed_chunk(original_fp, compressed, header.checksum_impl(compressed))
        if size < chunk_size or not left:
            break
        data = b""
    grown = header.copy()
    grown.nchunks = len(starts)
    grown.max_app_chunks -= grown.nchunks - header.nchunks
    grown.last_chunk = size
    if header.chunk_size == 0:
        grown.chunk_size = size if grown.nchunks == 1 else chunk_size
    return grown, starts


def _read_up_to(input_fp: BinaryIO, size: int) -> bytes:
    """Read `size` bytes, or fewer at the end of the data."""
    pieces = []
    while size > 0 and (data := input_fp.read(size)):
        pieces.append(data)
        size -= len(data)
    return b"".join(pieces)


def append(orig_file: Any, new_file: Any, blosc_args: Mapping[str, Any] | None = None) -> None:
    """Append a file to a bloscpack file.

    The new bloscpack file replaces the old one at the end. After an error, and even if the process dies, the old one
    is unchanged.

    Parameters
    ----------
    orig_file : path
        The bloscpack file.
    new_file : path
        The data.
    blosc_args : mapping, optional
        As for :func:`append_fp`.

    Raises
    ------
    RuntimeError
        If the file has no offsets.
    NotEnoughSpace
        If the offsets section has no entries left.
    """
    target, source = os.fsdecode(orig_file), os.fsdecode(new_file)
    with open(target, "rb") as fp:
        header = _read_bloscpack_header(fp)
    if not header.offsets:
        raise RuntimeError(_NO_OFFSETS)
    arguments = _engine.compression(_append_args(blosc_args, header))
    before, after, added = _engine.append_to_file(target, source, _engine.size_of(source), **arguments)
    log.verbose(f"orig file size before append: {double_pretty_size(before)}")
    log.verbose(f"new file size: {double_pretty_size(added)}")
    log.verbose(f"orig file size after append: {double_pretty_size(after)}")
    if added:
        log.verbose(f"Approximate compression ratio of appended data: {(after - before) / added:f}")


def _seek_to_metadata(target_fp: BinaryIO) -> int:
    """Seek from the start of a file to its metadata section, and return the position.

    Raises
    ------
    NoMetadataFound
        If the file has none.
    """
    if not _read_bloscpack_header(target_fp).metadata:
        raise NoMetadataFound("the file has no metadata section")
    return target_fp.tell()


def _rewrite_metadata_fp(
    target_fp: BinaryIO,
    new_metadata: Any,
    magic_format: bytes | None = None,
    checksum: str | None = None,
    codec: str | None = DEFAULT_META_CODEC,
    level: int | None = DEFAULT_META_LEVEL,
) -> None:
    """Replace the metadata section at the position of a file object.

    Parameters
    ----------
    target_fp : file object
        The file, at its metadata section.
    new_metadata : object
        The metadata.
    magic_format, checksum, codec, level : optional
        How the metadata is stored. Values of None stay as they are in the file.

    Raises
    ------
    NoChangeInMetadata
        If the metadata is the same.
    MetadataSectionTooSmall
        If it does not fit. Nothing is written then.
    ChecksumLengthMismatch
        If the digest of `checksum` has another length.
    """
    position = target_fp.tell()
    old_metadata, old_header = _read_metadata(target_fp)
    if new_metadata == old_metadata:
        raise NoChangeInMetadata("the new metadata is the same as the old one")
    arguments = _recreate_metadata(old_header, new_metadata, magic_format, checksum, codec, level)
    target_fp.seek(position)
    _write_metadata(target_fp, new_metadata, arguments)


def _recreate_metadata(
    old_metadata_header: Mapping[str, Any],
    new_metadata: Any,
    magic_format: bytes | None = None,
    checksum: str | None = None,
    codec: str | None = DEFAULT_META_CODEC,
    level: int | None = DEFAULT_META_LEVEL,
) -> MetadataArgs:
    """Return the arguments for new metadata in the section of an old header."""
    arguments = MetadataArgs(**{name: old_metadata_header[name] for name in METADATA_ARGS})
    if magic_format is not None:
        check_valid_serializer(magic_format)
        arguments.magic_format = magic_format
    if checksum is not None:
        check_valid_checksum(checksum)
        if CHECKSUMS_LOOKUP[checksum].size != CHECKSUMS_LOOKUP[arguments.meta_checksum].size:
            raise ChecksumLengthMismatch(f"the digests of {checksum} and {arguments.meta_checksum} differ in length")
        arguments.meta_checksum = checksum
    if codec is not None:
        check_valid_codec(codec)
        arguments.meta_codec = codec
    if level is not None:
        check_range("meta_level", level, 0, MAX_CLEVEL)
        arguments.meta_level = level
    return arguments
