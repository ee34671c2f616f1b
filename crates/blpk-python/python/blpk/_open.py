"""Opens, creates and saves containers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._array import Array
from ._casts import unmasked
from ._file import File
from ._handle import Handle
from ._index import shape_of
from ._table import Table
from ._writer import Writer

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike, DTypeLike

    from ._types import Path


_MODES = ("r", "r+", "a", "w", "w-")

#: Arguments of :func:`create` that a new array needs.
_OF_NEW_ARRAYS = {"fill_value", "format", "chunks", "blocks", "codec", "clevel", "filters", "auto"}

#: The format for each ending of a path.
_ENDINGS = {".blp": "bloscpack", ".b2nd": "b2nd", ".bcolz": "bcolz", ".npy": "npy"}

#: Other names of formats.
_ALIASES = {"carray": "bcolz"}


@overload
def open(
    source: Path,
    mode: Literal["w", "w-"],
    *,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Array: ...
@overload
def open(
    source: Path,
    mode: Literal["w", "w-"],
    *,
    shape: None = None,
    dtype: None = None,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Writer: ...
@overload
def open(
    source: Any,
    mode: str = "r",
    *,
    shape: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Array | Table | File | Writer: ...
def open(
    source: Any,
    mode: str = "r",
    *,
    shape: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Array | Table | File | Writer:
    """Open a container. Its content tells the format.

    Parameters
    ----------
    source : path, file object or bytes
        A file, the directory of a sparse frame, of bcolz or of a Zarr array, an object with ``read`` and ``seek``, or a
        buffer.
    mode : {"r", "r+", "a", "w", "w-"}
        ``"r"`` reads. ``"r+"`` reads and changes what exists. ``"a"`` does too, and creates a file if there is nothing;
        arguments for a new array have no effect on one that exists.
        ``"w"`` creates a file and replaces what exists. ``"w-"`` creates a file and fails if the path exists.
    shape, dtype
        Of the array that is created, as for :func:`create`. Without them, a bloscpack file of plain bytes is created.
    threads : int or None
        Number of threads of each operation, None for one per core.
    limits : mapping, optional
        Bounds for hostile input, as for :func:`decompress`.
    **options
        Further arguments of :func:`create`, or for plain bytes ``codec``, ``clevel``, ``typesize``, ``filters``,
        ``blocksize`` and ``auto`` of :func:`compress`, ``chunk_size`` in bytes, ``checksum`` (a name, or ``"None"``),
        ``offsets`` and ``max_app_chunks``, the number of chunks that can be appended. Data that is shorter than a chunk
        makes a chunk of its size, to which at most ``max_app_chunks`` of that size can be appended, by default 10.

    Returns
    -------
    Array
        For an array: bloscpack with NumPy's metadata, b2nd, carray, ``.npy``, Zarr (read only).
    Table
        For a ctable of bcolz.
    File
        For plain bytes: other bloscpack files and frames, bare chunks.
    Writer
        For plain bytes in modes that create or append.

    Raises
    ------
    DamagedError
        If the format is unknown, or the container is damaged.
    OSError
        As for the built-in function ``open``.
    """
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(map(repr, _MODES))}")
    creates = mode in ("w", "w-") or mode == "a" and _is_missing(source)
    if creates and isinstance(source, bytes):
        raise TypeError("bytes are the content of a container; the path of a new one is a str or a path object")
    if creates and shape is not None and dtype is not None:
        return create(source, shape, dtype, overwrite=mode == "w", threads=threads, limits=limits, **options)
    if creates and shape is None and dtype is None:
        return Writer(source, mode, threads, limits, **options)
    if creates:
        raise TypeError("a new array needs both shape and dtype")
    opened = _existing(source, "r" if mode == "r" else "r+", threads, limits)
    if mode == "a" and isinstance(opened, File) and opened.format == "bloscpack":
        return Writer(source, mode, threads, limits, **options)
    # Arguments for a new array have no effect on one that exists.
    unknown = options.keys() - (_OF_NEW_ARRAYS if mode == "a" and shape is not None and dtype is not None else set())
    if unknown:
        raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
    return opened


def create(
    path: Any,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    *,
    fill_value: Any = None,
    format: str | None = None,
    chunks: int | Sequence[int] | None = None,
    blocks: int | Sequence[int] | None = None,
    overwrite: bool = False,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **settings: Any,
) -> Array:
    """Create an array that repeats one value, and open it in mode ``"r+"``.

    Parameters
    ----------
    path : path
        The file or directory. It appears complete or not at all.
    shape : int or sequence of int
    dtype : dtype
    fill_value : scalar, optional
        The value of all items; zero by default, which takes no space in b2nd.
    format, chunks, blocks, overwrite, threads, **settings
        As for :func:`save`.
    limits : mapping, optional
        For the array that is returned, as in :func:`open`.

    Examples
    --------
    >>> import tempfile, blpk
    >>> array = blpk.create(tempfile.mkdtemp() + "/a.b2nd", (1000, 1000), "f4", chunks=(100, 100))
    >>> array[500:502, 10] = [1, 2]
    >>> float(array[501, 10])
    2.0
    """
    import numpy as np

    kind, size = np.dtype(dtype), shape_of(shape)
    if any(n < 0 for n in size):
        raise ValueError(f"shape is {size}, expected sizes of at least 0")
    item = np.zeros((), kind) if fill_value is None else np.array(fill_value, kind)
    if item.shape:
        raise ValueError("fill_value is an array, expected one item")
    new = _description(path, kind, size, "C", format, chunks, blocks, overwrite)
    item_bytes = np.frombuffer(item.tobytes(), np.uint8)
    _core.create_array(os.fspath(path), item_bytes, new, threads=threads, **settings)
    return Array(Handle(path, "r+", threads=threads, limits=limits))


def save(
    path: Any,
    array: ArrayLike,
    *,
    format: str | None = None,
    chunks: int | Sequence[int] | None = None,
    blocks: int | Sequence[int] | None = None,
    overwrite: bool = False,
    threads: int | None = 1,
    **settings: Any,
) -> None:
    """Write an array to a new container.

    Parameters
    ----------
    path : path
        The file or directory. It appears complete or not at all.
    array : array_like
        In C or Fortran order it is not copied. bloscpack files keep its order, others have C order.
    format : str, optional
        ``"bloscpack"`` (ending ``.blp``), ``"b2nd"`` (``.b2nd``), ``"bcolz"`` or ``"carray"`` (``.bcolz``), or ``"npy"``
        (``.npy``). By default the ending of the path tells.
    chunks : int or sequence of int, optional
        The items of a chunk along each axis, best those of the slices to be read. Rows of bloscpack files and bcolz are
        whole. As in zarr, one number is for every axis. Chunks end where the array ends, except along the first axis, along
        which it may grow.
    blocks : int or sequence of int, optional
        The items of a block along each axis of b2nd.
    overwrite : bool
        Replace an existing container. Otherwise FileExistsError is raised.
    threads : int or None
        Number of threads, None for one per core. The file does not depend on it.
    **settings
        ``codec``, ``clevel``, ``filters`` and ``auto`` of :func:`compress`. Without ``codec``, parameters
        that are not given are chosen for the data, as with ``auto=True``.

    Examples
    --------
    >>> import tempfile, numpy as np, blpk
    >>> path = tempfile.mkdtemp() + "/numbers.blp"
    >>> blpk.save(path, np.arange(1_000_000), codec="zstd")
    >>> blpk.open(path)[-2:]
    array([999998, 999999])
    """
    import numpy as np

    items = np.asarray(unmasked(array))
    if not (items.flags.c_contiguous or items.flags.f_contiguous):
        items = np.ascontiguousarray(items)
    order = "F" if items.flags.f_contiguous and not items.flags.c_contiguous else "C"
    new = _description(path, items.dtype, items.shape, order, format, chunks, blocks, overwrite)
    flat = items.reshape(-1, order="F" if order == "F" else "C")
    content = flat.view(np.uint8) if items.size and items.dtype.itemsize else np.empty(0, np.uint8)
    _core.save_array(os.fspath(path), content, new, threads=threads, **settings)


def _existing(source: Any, mode: str, threads: int | None, limits: Mapping[str, int] | None) -> Array | Table | File:
    if isinstance(source, (str, os.PathLike)) and os.path.isfile(os.path.join(source, "__rootdirs__")):
        return Table(source, mode, threads=threads, limits=limits)
    handle = Handle(source, mode, threads=threads, limits=limits)
    return Array(handle) if handle.reader().is_array else File(handle)


def _is_missing(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and not os.path.lexists(source)


def _description(
    path: Any, dtype: Any, shape: tuple[int, ...], order: str, format: str | None,
    chunks: int | Sequence[int] | None, blocks: int | Sequence[int] | None, overwrite: bool,
) -> dict[str, Any]:
    """Return what the compiled part needs to know about a new array."""
    import numpy as np

    if dtype.hasobject:
        raise TypeError("arrays of Python objects cannot be stored")
    if format is None:
        ending = os.path.splitext(os.fspath(path).rstrip("/"))[1].lower()
        if ending not in _ENDINGS:
            known = ", ".join(_ENDINGS)
            raise ValueError(f"the ending {ending!r} tells no format: use one of {known}, or the argument format")
        format = _ENDINGS[ending]
    format = _ALIASES.get(format, format)
    if format == "bcolz" and dtype.names:
        raise ValueError("a carray has no fields; create_table makes a table of columns")
    if format in ("b2nd", "bcolz") and dtype.itemsize == 0:
        raise ValueError(f"{format} has no items of 0 bytes")
    if format == "b2nd" and len(shape) > 16:
        raise ValueError(f"b2nd has at most 16 axes, but the array has {len(shape)}")
    chunkshape, blockshape = _lengths("chunks", chunks, shape), _lengths("blocks", blocks, shape)
    if blockshape is not None and format != "b2nd":
        raise ValueError(f"blocks is for b2nd, not for {format}")
    cut = [max(min(length, size), 1) for length, size in zip(chunkshape, shape)] if chunkshape else None
    if cut and chunkshape and format != "npy":
        cut[0] = chunkshape[0]
    if cut and format == "bloscpack":
        row = int(np.prod(shape[1:], dtype=np.int64)) * dtype.itemsize
        cut = [cut[0] * max(row, 1)]
    return {
        "descr": repr(np.lib.format.dtype_to_descr(dtype)),
        "shape": list(shape),
        "fortran": order == "F",
        "target": format,
        "overwrite": overwrite,
        "chunks": cut,
        "blocks": blockshape or None,
    }


def _lengths(name: str, given: int | Sequence[int] | None, shape: tuple[int, ...]) -> list[int] | None:
    """Return the lengths of chunks or blocks along each axis of an array of this shape."""
    if given is None:
        return None
    lengths = shape_of(given) if hasattr(given, "__len__") else shape_of(given) * len(shape)
    if len(lengths) != len(shape):
        raise ValueError(f"{name} has {len(lengths)} axes, but the array has {len(shape)}")
    if any(length < 1 for length in lengths):
        raise ValueError(f"{name} is {lengths}, expected sizes of at least 1")
    return list(lengths)
