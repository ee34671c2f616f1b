"""NumPy arrays: dtype and shape are metadata, the items are the data, in the order in which they are in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import numpy
from blpk import LimitError

from . import _engine, log
from ._array_layout import ArrayLayout, _conv
from ._deprecated import deprecated
from .abstract_io import CompressedSink, CompressedSource, PlainSink, PlainSource, pack, unpack
from .args import BloscArgs, calculate_nchunks
from .defaults import DEFAULT_CHUNK_SIZE
from .exceptions import ChunkSizeTypeSizeMismatch, ObjectNumpyArrayRejection
from .file_io import CompressedFPSink, CompressedFPSource, _read_front
from .headers import BloscpackHeader

__all__ = [
    "CompressedFPSink",
    "CompressedFPSource",
    "_conv",
    "PlainNumpySink",
    "PlainNumpySource",
    "pack_ndarray",
    "pack_ndarray_file",
    "pack_ndarray_str",
    "pack_ndarray_to_bytes",
    "pack_ndarray_to_file",
    "unpack_ndarray",
    "unpack_ndarray_file",
    "unpack_ndarray_from_bytes",
    "unpack_ndarray_from_file",
    "unpack_ndarray_str",
]

Array = Any

#: An array may be this much larger than 4096 times its file, the limit that chunks have, too.
_MAX_UNEARNED = 1 << 30


def _ndarray_meta(ndarray: Array) -> dict[str, Any]:
    """Return the metadata of an array."""
    dtype = ndarray.dtype
    # A record dtype has one string for all records of the same size, so only its fields tell it apart.
    text = repr(dtype.str if dtype.names is None else dtype.descr)
    order = "F" if numpy.isfortran(ndarray) else "C"
    return {"dtype": text, "shape": ndarray.shape, "order": order, "container": "numpy"}


class PlainNumpySource(PlainSource):
    """The items of an array, without a copy if they are contiguous."""

    def __init__(self, ndarray: Array) -> None:
        self.metadata = _ndarray_meta(ndarray)
        self.size = ndarray.size * ndarray.itemsize
        as_contiguous = numpy.asfortranarray if self.metadata["order"] == "F" else numpy.ascontiguousarray
        # These functions add a dimension to an array that has none.
        self.ndarray = numpy.asarray(ndarray) if ndarray.ndim == 0 else as_contiguous(ndarray)

    @property
    def data(self) -> memoryview:
        """The bytes of all items."""
        return _bytes_of(self.ndarray)

    def check(self, chunk_size: int) -> None:
        """Raise ``ChunkSizeTypeSizeMismatch`` if chunks would divide items."""
        if chunk_size % max(self.ndarray.itemsize, 1):
            raise ChunkSizeTypeSizeMismatch(
                f"the chunk size {chunk_size} is not a multiple of the item size {self.ndarray.itemsize}"
            )

    def __iter__(self) -> Iterator[memoryview]:
        self.check(self.chunk_size)
        self.nitems = self.chunk_size // max(self.ndarray.itemsize, 1)
        data = self.data
        for start in range(0, self.nchunks * self.chunk_size or 1, self.chunk_size or 1):
            yield data[start : start + self.chunk_size]


def _bytes_of(array: Array) -> memoryview:
    """Return the memory of a contiguous array."""
    if array.nbytes == 0:
        return memoryview(b"")
    # Arrays of dates have no buffer of their own.
    plain: Any = numpy.asarray(array).ravel(order="K").view(numpy.uint8)
    return memoryview(plain)


class PlainNumpySink(PlainSink):
    """An array that is filled chunk by chunk.

    Its memory grows with the data, because the shape in a damaged file may be of any size.
    """

    def __init__(self, metadata: Any) -> None:
        self.metadata = metadata
        self._layout = ArrayLayout(metadata)
        self._data = bytearray()

    def put(self, compressed: bytes) -> int:
        """Add the data of a chunk, and return its size."""
        data = _engine.decompress(compressed)
        if len(self._data) + len(data) > self._layout.nbytes:
            raise ValueError(f"more data than the {self._layout.nbytes} bytes of the array")
        self._data += data
        return len(data)

    @property
    def ndarray(self) -> Array:
        """The array.

        Raises
        ------
        ValueError
            If data is missing.
        """
        layout = self._layout
        if len(self._data) != layout.nbytes:
            raise ValueError(f"{len(self._data)} bytes of data, but the array has {layout.nbytes}")
        return numpy.ndarray(layout.shape, layout.dtype, self._data, order=layout.order)


def _source(ndarray: Array, blosc_args: Any) -> tuple[PlainNumpySource, Any]:
    """Return a source for an array, and the arguments for its chunks."""
    if ndarray.dtype.hasobject:
        raise ObjectNumpyArrayRejection(f"the dtype {ndarray.dtype} contains Python objects")
    itemsize = ndarray.dtype.itemsize
    if blosc_args is None:
        blosc_args = BloscArgs(typesize=itemsize)
    else:
        log.debug("the typesize in blosc_args is replaced by the item size of the array")
        blosc_args["typesize"] = itemsize
    return PlainNumpySource(ndarray), blosc_args


def pack_ndarray(
    ndarray: Array,
    sink: CompressedSink,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> None:
    """Pack an array into a sink.

    Parameters
    ----------
    ndarray : ndarray
        The array. Memory with gaps is copied first.
    sink : CompressedSink
        The file.
    chunk_size : int or str
        Uncompressed size of a chunk, a multiple of the item size.
    blosc_args, bloscpack_args, metadata_args : mapping, optional
        See :mod:`bloscpack.args`. The typesize in `blosc_args` becomes the item size of the array.

    Raises
    ------
    ObjectNumpyArrayRejection
        If the dtype contains Python objects.
    ChunkSizeTypeSizeMismatch
        If chunks would divide items.
    ValueError
        If an item has more than 255 bytes.
    """
    source, blosc_args = _source(ndarray, blosc_args)
    division = calculate_nchunks(source.size, chunk_size)
    pack(source, sink, *division, source.metadata, blosc_args, bloscpack_args, metadata_args)


def _prepare(
    ndarray: Array, chunk_size: int | str, blosc_args: Any, bloscpack_args: Any, metadata_args: Any
) -> tuple[PlainNumpySource, dict[str, Any]]:
    """Return a source for an array, and the arguments of the engine for its file."""
    source, blosc_args = _source(ndarray, blosc_args)
    source.check(calculate_nchunks(source.size, chunk_size)[1])
    return source, _engine.layout(
        source.size, chunk_size, source.metadata, blosc_args, bloscpack_args, metadata_args
    )


def pack_ndarray_to_file(
    ndarray: Array,
    filename: Any,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> None:
    """Pack an array to a file. See :func:`pack_ndarray`."""
    source, arguments = _prepare(ndarray, chunk_size, blosc_args, bloscpack_args, metadata_args)
    _engine.pack_to_file(source.data, os.fsdecode(filename), source.size, arguments)


def pack_ndarray_to_bytes(
    ndarray: Array,
    chunk_size: int | str = DEFAULT_CHUNK_SIZE,
    blosc_args: Any = None,
    bloscpack_args: Any = None,
    metadata_args: Any = None,
) -> bytes:
    """Pack an array, and return the bytes of a bloscpack file. See :func:`pack_ndarray`.

    Examples
    --------
    >>> import numpy
    >>> packed = pack_ndarray_to_bytes(numpy.arange(5))
    >>> unpack_ndarray_from_bytes(packed)
    array([0, 1, 2, 3, 4])
    """
    source, arguments = _prepare(ndarray, chunk_size, blosc_args, bloscpack_args, metadata_args)
    return _engine.pack_to_bytes(source.data, source.size, arguments)


def unpack_ndarray(source: CompressedSource) -> Array:
    """Unpack the array that a source contains.

    Raises
    ------
    NotANumpyArray
        If it contains something else.
    ChecksumMismatch, ValueError
        If it is damaged.
    """
    sink = PlainNumpySink(source.metadata)
    unpack(source, sink)
    return sink.ndarray


def _unpack(source: Any, cbytes: int, header: BloscpackHeader, metadata: Any) -> Array:
    """Return the array in a file, by its path or its bytes."""
    layout = ArrayLayout(metadata)
    if header.nbytes not in (None, layout.nbytes):
        raise ValueError(f"the file has {header.nbytes} bytes of data, but the array has {layout.nbytes}")
    unearned = layout.nbytes - 4096 * cbytes
    if unearned > _MAX_UNEARNED:
        text = f"an array of {layout.nbytes} bytes in a file of {cbytes} bytes"
        raise LimitError(text, "max_unearned", unearned, _MAX_UNEARNED)
    array = layout.empty()
    if array.nbytes == 0:
        _engine.unpack_into(source, bytearray(), 0)
        return array
    _engine.unpack_into(source, _bytes_of(array), array.nbytes)
    return array


def unpack_ndarray_from_file(filename: Any) -> Array:
    """Unpack the array in a file. See :func:`unpack_ndarray`."""
    path = os.fsdecode(filename)
    with open(path, "rb") as fp:
        header, metadata, _ = _read_front(fp)
        cbytes = os.fstat(fp.fileno()).st_size
    return _unpack(path, cbytes, header, metadata)


def unpack_ndarray_from_bytes(bytes_: Any) -> Array:
    """Unpack the array in the bytes of a bloscpack file. See :func:`unpack_ndarray`."""
    header, metadata, _ = _read_front(io.BytesIO(bytes_))
    return _unpack(bytes_, memoryview(bytes_).nbytes, header, metadata)


pack_ndarray_file = deprecated("pack_ndarray_file", pack_ndarray_to_file)
unpack_ndarray_file = deprecated("unpack_ndarray_file", unpack_ndarray_from_file)
pack_ndarray_str = deprecated("pack_ndarray_str", pack_ndarray_to_bytes)
unpack_ndarray_str = deprecated("unpack_ndarray_str", unpack_ndarray_from_bytes)
