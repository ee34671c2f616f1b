"""Files: sources and sinks on file objects, and functions that pack and unpack whole files.

The functions for whole files run in the engine, on all cores, and their outputs appear complete or not at all.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from . import _engine, log
from ._deprecated import deprecated
from ._sections import (
    _read_compressed_chunk_fp,
    _read_exactly,
    _read_metadata,
    _read_offsets,
    _write_compressed_chunk,
    _write_metadata,
    _write_offsets,
    _write_repeated,
)
from ._sections import _read_bloscpack_header as _read_header_of_version
from .abstract_io import CompressedSink, CompressedSource, PlainSink, PlainSource, pack, unpack
from .args import calculate_nchunks
from .constants import BLOSCPACK_HEADER_LENGTH, FORMAT_VERSION
from .defaults import DEFAULT_CHUNK_SIZE
from .headers import BloscpackHeader, MetadataHeader, encode_int64
from .pretty import double_pretty_size

__all__ = [
    "CompressedFPSink",
    "CompressedFPSource",
    "PlainFPSink",
    "PlainFPSource",
    "calculate_nchunks",
    "pack",
    "pack_bytes_file",
    "pack_bytes_to_bytes",
    "pack_bytes_to_file",
    "pack_file",
    "pack_file_to_file",
    "unpack",
    "unpack_bytes_file",
    "unpack_bytes_from_bytes",
    "unpack_bytes_from_file",
    "unpack_file",
    "unpack_file_from_file",
    "_write_metadata",
]

Path = Any


def _read_bloscpack_header(input_fp: BinaryIO) -> BloscpackHeader:
    """Read the header. Raises ``FormatVersionMismatch`` unless it has the version of this module."""
    return _read_header_of_version(input_fp, FORMAT_VERSION)


def _read_front(input_fp: BinaryIO) -> tuple[BloscpackHeader, Any, MetadataHeader | None]:
    """Read header and metadata, which is None if there is none."""
    header = _read_bloscpack_header(input_fp)
    metadata, metadata_header = _read_metadata(input_fp) if header.metadata else (None, None)
    return header, metadata, metadata_header


def _read_beginning(input_fp: BinaryIO) -> tuple[BloscpackHeader, Any, MetadataHeader | None, list[int]]:
    """Read header, metadata, header of the metadata, and the offsets of the chunks."""
    front = _read_front(input_fp)
    return (*front, _read_offsets(input_fp, front[0]))


class PlainFPSource(PlainSource):
    """Uncompressed data from the position of a file object on."""

    def __init__(self, input_fp: BinaryIO) -> None:
        self.input_fp = input_fp

    def __iter__(self) -> Iterator[bytes]:
        for number in range(self.nchunks):
            size = self.chunk_size if number + 1 < self.nchunks else self.last_chunk
            yield _read_exactly(self.input_fp, size, f"chunk {number} of the data")


class CompressedFPSource(CompressedSource):
    """The chunks of a bloscpack file that starts at the position of a file object."""

    def __init__(self, input_fp: BinaryIO) -> None:
        self.input_fp = input_fp
        self.bloscpack_header, self.metadata, self.metadata_header, self.offsets = _read_beginning(input_fp)
        self.checksum_impl = self.bloscpack_header.checksum_impl
        self.nchunks = self.bloscpack_header.nchunks

    def __iter__(self) -> Iterator[tuple[bytes, bytes | None]]:
        header = self.bloscpack_header
        if self.nchunks < 0:
            raise ValueError("the number of chunks is unknown; unpack the file by name")
        for number in range(self.nchunks):
            compressed, fields, digest = _read_compressed_chunk_fp(self.input_fp, self.checksum_impl)
            expected = header.chunk_size if number + 1 < self.nchunks else header.last_chunk
            if expected not in (-1, fields["nbytes"]):
                raise ValueError(f"chunk {number} has {fields['nbytes']} bytes of data, expected {expected}")
            yield compressed, digest


class PlainFPSink(PlainSink):
    """Writes uncompressed data to a file object."""

    def __init__(self, output_fp: BinaryIO, nchunks: int | None = None) -> None:
        self.output_fp = output_fp
        self.nchunks = nchunks

    def put(self, compressed: bytes) -> int:
        """Write the data of a chunk, and return its size."""
        data = _engine.decompress(compressed)
        self.output_fp.write(data)
        return len(data)


class CompressedFPSink(CompressedSink):
    """Writes a bloscpack file to a file object, which must be able to seek if the file has offsets."""

    offset_storage: list[int]

    def __init__(self, output_fp: BinaryIO) -> None:
        self.output_fp = output_fp
        self.meta_total = 0

    def write_bloscpack_header(self) -> None:
        """Write the header."""
        self.output_fp.write(self.bloscpack_header.encode())

    def write_metadata(self, metadata: Any, metadata_args: Any) -> None:
        """Write the metadata section."""
        self.meta_total += _write_metadata(self.output_fp, metadata, metadata_args)

    def init_offsets(self) -> None:
        """Reserve the offsets section."""
        if self.offsets:
            self.offset_storage = [-1] * self.bloscpack_header.nchunks
            _write_repeated(self.output_fp, encode_int64(-1), self.bloscpack_header.total_prospective_chunks or 0)

    def put(self, i: int, compressed: bytes) -> tuple[int, bytes, bytes]:
        """Write chunk number `i`, and return its offset, the chunk and its digest."""
        offset = self.output_fp.tell() if self.offsets else -1
        digest = self.do_checksum(compressed)
        _write_compressed_chunk(self.output_fp, compressed, digest)
        if self.offsets:
            self.offset_storage[i] = offset
        return offset, compressed, digest

    def finalize(self) -> None:
        """Write the offsets into their section."""
        if self.offsets:
            self.output_fp.seek(BLOSCPACK_HEADER_LENGTH + self.meta_total)
            _write_offsets(self.output_fp, self.offset_storage)
            self.output_fp.seek(0, os.SEEK_END)


def _log_sizes(nbytes: int, cbytes: int) -> None:
    log.verbose(f"output file size: {double_pretty_size(cbytes)}")
    if cbytes:
        log.verbose(f"compression ratio: {nbytes / cbytes:f}")


def pack_file_to_file(
    in_file: Path,
    out_file: Path,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    metadata: Any = None,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> None:
    """Pack a file to a file.

    Parameters
    ----------
    in_file : path
        The data: a file, a pipe or a device.
    out_file : path
        The bloscpack file. An existing file is replaced, but not if packing fails.
    chunk_size : int or str
        Uncompressed size of a chunk in bytes, or with a unit: ``"2M"``.
    metadata : object, optional
        Metadata to store with the data, anything that JSON can hold.
    blosc_args, bloscpack_args, metadata_args : mapping, optional
        See :class:`BloscArgs`, :class:`BloscpackArgs` and :class:`MetadataArgs`.

    Raises
    ------
    ValueError
        For arguments out of range, and if both files are the same.
    """
    source = os.fsdecode(in_file)
    nbytes = _engine.size_of(source)
    arguments = _engine.layout(nbytes, chunk_size, metadata, blosc_args, bloscpack_args, metadata_args)
    if nbytes is not None:
        log.verbose(f"input file size: {double_pretty_size(nbytes)}")
    _log_sizes(*_engine.pack_to_file(source, os.fsdecode(out_file), nbytes, arguments))


def unpack_file_from_file(in_file: Path, out_file: Path) -> Any:
    """Unpack a file to a file.

    Parameters
    ----------
    in_file : path
        The bloscpack file.
    out_file : path
        The data. An existing file is replaced, but not if unpacking fails.

    Returns
    -------
    object
        The metadata, None if there is none.

    Raises
    ------
    FormatVersionMismatch
        If the file has another version of the format.
    ChecksumMismatch
        If a chunk or the metadata does not match its digest.
    ValueError
        If the file is damaged otherwise.
    """
    source = os.fsdecode(in_file)
    with open(source, "rb") as fp:
        header, metadata, _ = _read_front(fp)
    _engine.unpack_to_file(source, os.fsdecode(out_file), header.nbytes)
    return metadata


def pack_bytes_to_file(
    bytes_: Any,
    out_file: Path,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    metadata: Any = None,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> None:
    """Pack bytes, or any other buffer, to a file. See :func:`pack_file_to_file`."""
    nbytes = memoryview(bytes_).nbytes
    arguments = _engine.layout(nbytes, chunk_size, metadata, blosc_args, bloscpack_args, metadata_args)
    _log_sizes(*_engine.pack_to_file(bytes_, os.fsdecode(out_file), nbytes, arguments))


def unpack_bytes_from_file(compressed_file: Path) -> tuple[bytes, Any]:
    """Unpack a file, and return the data and the metadata. See :func:`unpack_file_from_file`.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.blp")
    ...     pack_bytes_to_file(b"some data", path, metadata=[1, 2])
    ...     unpack_bytes_from_file(path)
    (b'some data', [1, 2])
    """
    source = os.fsdecode(compressed_file)
    with open(source, "rb") as fp:
        header, metadata, _ = _read_front(fp)
    return _engine.unpack_to_bytes(source, header.nbytes), metadata


def pack_bytes_to_bytes(
    bytes_: Any,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    metadata: Any = None,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> bytes:
    """Pack bytes, or any other buffer, and return the bytes of a bloscpack file. See :func:`pack_file_to_file`."""
    nbytes = memoryview(bytes_).nbytes
    arguments = _engine.layout(nbytes, chunk_size, metadata, blosc_args, bloscpack_args, metadata_args)
    packed = _engine.pack_to_bytes(bytes_, nbytes, arguments)
    _log_sizes(nbytes, len(packed))
    return packed


def unpack_bytes_from_bytes(bytes_: Any) -> tuple[bytes, Any]:
    """Unpack the bytes of a bloscpack file, and return the data and the metadata.

    Examples
    --------
    >>> unpack_bytes_from_bytes(pack_bytes_to_bytes(b"some data"))
    (b'some data', None)
    """
    header, metadata, _ = _read_front(io.BytesIO(bytes_))
    return _engine.unpack_to_bytes(bytes_, header.nbytes), metadata


pack_file = deprecated("pack_file", pack_file_to_file)
unpack_file = deprecated("unpack_file", unpack_file_from_file)
pack_bytes_file = deprecated("pack_bytes_file", pack_bytes_to_file)
unpack_bytes_file = deprecated("unpack_bytes_file", unpack_bytes_from_file)
