"""Sources and sinks, and the loops that pack and unpack between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import _engine, log
from .args import BloscArgs, BloscpackArgs, MetadataArgs, _handle_max_apps
from .checksums import Hash
from .exceptions import ChecksumMismatch
from .headers import BloscpackHeader
from .pretty import double_pretty_size


def _compress_chunk_str(chunk: Any, blosc_args: Any) -> bytes:
    return _engine.compress(chunk, blosc_args)


class PlainSource:
    """Iterates over chunks of uncompressed data."""

    chunk_size: int
    last_chunk: int
    nchunks: int

    def configure(self, chunk_size: int, last_chunk: int, nchunks: int) -> None:
        """Set the division into chunks before the iteration."""
        self.chunk_size = chunk_size
        self.last_chunk = last_chunk
        self.nchunks = nchunks

    @property
    def compress_func(self) -> Callable[[Any, Any], bytes]:
        """The function that compresses a chunk with the given arguments."""
        return _compress_chunk_str

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class CompressedSource:
    """Iterates over compressed chunks, each with its digest or None."""

    checksum_impl: Hash
    nchunks: int
    metadata: Any

    def __iter__(self) -> Iterator[tuple[bytes, bytes | None]]:
        raise NotImplementedError


class PlainSink:
    """Receives compressed chunks and keeps their data."""

    def put(self, compressed: bytes) -> int:
        """Take a compressed chunk, and return the size of its data."""
        raise NotImplementedError


class CompressedSink:
    """Receives the parts of a file in the order of the methods: header, metadata, offsets, chunks, end."""

    blosc_args: Any
    bloscpack_header: BloscpackHeader
    checksum_impl: Hash
    offsets: bool

    def configure(self, blosc_args: Any, bloscpack_header: BloscpackHeader) -> None:
        """Set arguments and header before anything is written."""
        self.blosc_args = blosc_args
        self.bloscpack_header = bloscpack_header
        self.checksum_impl = bloscpack_header.checksum_impl
        self.offsets = bloscpack_header.offsets

    def write_bloscpack_header(self) -> None:
        """Write the header."""
        raise NotImplementedError

    def write_metadata(self, metadata: Any, metadata_args: Any) -> None:
        """Write the metadata section."""
        raise NotImplementedError

    def init_offsets(self) -> None:
        """Reserve the offsets section."""
        raise NotImplementedError

    def put(self, i: int, compressed: bytes) -> Any:
        """Write chunk number `i`."""
        raise NotImplementedError

    def finalize(self) -> None:
        """Write the values that are known only after all chunks."""
        raise NotImplementedError

    def do_checksum(self, compressed: bytes) -> bytes:
        """Return the digest of a compressed chunk, empty if there is no checksum."""
        digest = self.checksum_impl(compressed)
        log.debug(f"checksum ({self.checksum_impl.name}): {digest!r}")
        return digest


def pack(
    source: PlainSource,
    sink: CompressedSink,
    nchunks: int,
    chunk_size: int,
    last_chunk: int,
    metadata: Any = None,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> None:
    """Pack a source into a sink, chunk by chunk.

    Parameters
    ----------
    source : PlainSource
        The data.
    sink : CompressedSink
        The file.
    nchunks, chunk_size, last_chunk : int
        The division into chunks, see :func:`bloscpack.args.calculate_nchunks`.
    metadata : object, optional
        Metadata to store with the data.
    blosc_args, bloscpack_args, metadata_args : mapping, optional
        See :mod:`bloscpack.args`.

    Raises
    ------
    TypeError
        If `source` or `sink` are of another kind.
    """
    _check_kinds(source, PlainSource, sink, CompressedSink)
    blosc_args = BloscArgs() if blosc_args is None else blosc_args
    bloscpack_args = BloscpackArgs() if bloscpack_args is None else bloscpack_args
    header = BloscpackHeader(
        offsets=bloscpack_args["offsets"],
        metadata=metadata is not None,
        checksum=bloscpack_args["checksum"],
        typesize=blosc_args["typesize"],
        chunk_size=chunk_size,
        last_chunk=last_chunk,
        nchunks=nchunks,
        max_app_chunks=_handle_max_apps(bloscpack_args["offsets"], nchunks, bloscpack_args["max_app_chunks"]),
    )
    for used in (blosc_args, bloscpack_args, header):
        log.debug(used.pformat() if hasattr(used, "pformat") else repr(used))
    source.configure(chunk_size, last_chunk, nchunks)
    sink.configure(blosc_args, header)
    sink.write_bloscpack_header()
    if metadata is not None:
        sink.write_metadata(metadata, metadata_args or MetadataArgs())
    sink.init_offsets()
    compress = source.compress_func
    for number, chunk in enumerate(source):
        compressed = compress(chunk, blosc_args)
        sink.put(number, compressed)
        _report(number, nchunks, len(chunk), len(compressed))
    sink.finalize()


def unpack(source: CompressedSource, sink: PlainSink) -> None:
    """Unpack a source into a sink, chunk by chunk. Digests are checked.

    Raises
    ------
    TypeError
        If `source` or `sink` are of another kind.
    ChecksumMismatch
        If a chunk does not match its digest.
    """
    _check_kinds(source, CompressedSource, sink, PlainSink)
    for number, (compressed, digest) in enumerate(source):
        if digest:
            _check_digest(f"chunk {number}", source.checksum_impl, compressed, digest)
        nbytes = sink.put(compressed)
        _report(number, source.nchunks, len(compressed), nbytes)


def _check_kinds(source: Any, source_kind: type, sink: Any, sink_kind: type) -> None:
    for found, kind in ((source, source_kind), (sink, sink_kind)):
        if not isinstance(found, kind):
            raise TypeError(f"found a '{type(found).__name__}', expected a '{kind.__name__}'")


def _check_digest(what: str, checksum: Hash, stored: bytes, expected: bytes) -> None:
    """Raise ``ChecksumMismatch`` if `stored` does not have the digest `expected`."""
    received = checksum(stored)
    if received != expected:
        raise ChecksumMismatch(
            f"Checksum mismatch detected in {what}, expected: '{expected!r}', received: '{received!r}'"
        )


def _report(number: int, nchunks: int | None, nbytes_in: int, nbytes_out: int) -> None:
    if log.LEVEL == log.DEBUG:
        last = " (last)" if nchunks == number + 1 else ""
        sizes = f"in: {double_pretty_size(nbytes_in)} out: {double_pretty_size(nbytes_out)}"
        log.debug(f"handled chunk '{number}'{last}, {sizes}")
