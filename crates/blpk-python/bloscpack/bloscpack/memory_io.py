"""Sources and sinks in memory: lists of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import _engine
from .abstract_io import CompressedSink, CompressedSource, PlainSink, PlainSource
from .headers import BloscpackHeader


class PlainMemorySource(PlainSource):
    """Uncompressed chunks that an iterable yields."""

    def __init__(self, chunks: Iterable[Any]) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[Any]:
        return iter(self.chunks)


class CompressedMemorySink(CompressedSink):
    """Keeps compressed chunks, digests and metadata in memory.

    Attributes
    ----------
    chunks, checksums : list of bytes
        The chunks and their digests.
    metadata, metadata_args : object
        The metadata and its arguments, None if there is none.
    """

    def configure(self, blosc_args: Any, bloscpack_header: BloscpackHeader) -> None:
        """Set arguments and header, and drop all chunks of earlier use."""
        super().configure(blosc_args, bloscpack_header)
        self.checksum = bloscpack_header.checksum
        self.nchunks = bloscpack_header.nchunks
        self.chunks: list[Any] = [None] * self.nchunks
        self.checksums: list[Any] = [None] * self.nchunks
        self.metadata: Any = None
        self.metadata_args: Any = None

    def write_bloscpack_header(self) -> None:
        """Do nothing: the header is an attribute."""

    def write_metadata(self, metadata: Any, metadata_args: Any) -> None:
        """Keep the metadata."""
        self.metadata = metadata
        self.metadata_args = metadata_args

    def init_offsets(self) -> None:
        """Do nothing: chunks in memory have no offsets."""

    def put(self, i: int, compressed: bytes) -> None:
        """Keep chunk number `i`."""
        self.chunks[i] = compressed
        self.checksums[i] = self.do_checksum(compressed)

    def finalize(self) -> None:
        """Do nothing."""


class CompressedMemorySource(CompressedSource):
    """The chunks that a :class:`CompressedMemorySink` keeps."""

    def __init__(self, compressed_memory_sink: CompressedMemorySink) -> None:
        self.compressed_memory_sink = compressed_memory_sink
        self.checksum_impl = compressed_memory_sink.checksum_impl
        self.checksum = compressed_memory_sink.checksum
        self.nchunks = compressed_memory_sink.nchunks
        self.chunks = compressed_memory_sink.chunks
        self.checksums = compressed_memory_sink.checksums

    @property
    def metadata(self) -> Any:
        """The metadata of the sink."""
        return self.compressed_memory_sink.metadata

    def __iter__(self) -> Iterator[tuple[bytes, bytes | None]]:
        return zip(self.chunks, self.checksums)


class PlainMemorySink(PlainSink):
    """Keeps uncompressed chunks in the list ``chunks``.

    Parameters
    ----------
    nchunks : int, optional
        Number of chunks. With it, the list has its full length from the start, and more chunks are an ``IndexError``.
    """

    def __init__(self, nchunks: int | None = None) -> None:
        self.have_chunks = nchunks is not None
        self.chunks: list[Any] = [None] * (nchunks or 0)
        self.i = 0

    def put(self, compressed: bytes) -> int:
        """Keep the data of a chunk, and return its size."""
        chunk = _engine.decompress(compressed)
        if self.have_chunks:
            self.chunks[self.i] = chunk
            self.i += 1
        else:
            self.chunks.append(chunk)
        return len(chunk)
