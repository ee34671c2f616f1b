"""Arrays in containers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._array_read import ArrayReader, bytes_of
from ._casts import cast, unmasked
from ._errors import UnsupportedError
from ._index import basic, shape_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Array(ArrayReader):
    """An array in a bloscpack file, a b2nd frame, a carray or a ``.npy`` file.

    Indexing returns NumPy arrays and decodes only the blocks that hold a selected item. Changes need mode ``"r+"`` and
    are written at once: a process that is killed meanwhile leaves the old array or the new one.

    Examples
    --------
    >>> import tempfile, numpy as np, blpk
    >>> path = tempfile.mkdtemp() + "/grid.b2nd"
    >>> blpk.save(path, np.arange(12).reshape(3, 4))
    >>> array = blpk.open(path)
    >>> array.shape, array.dtype
    ((3, 4), dtype('int64'))
    >>> array[1:, ::-2]
    array([[ 7,  5],
           [11,  9]])
    """

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        """Replace items. Needs a b2nd frame or a carray, and mode ``"r+"``.

        `key` is made of integers, slices, an ellipsis and None. With steps, the box around the selected items is in
        memory. Chunks of a frame are compressed by the threads of the array, those of a carray by one.
        """
        with self._handle.change():
            self._set(key, value)

    def _set(self, key: Any, value: ArrayLike) -> None:
        import numpy as np

        path, selected = self._changes("b2nd", "carray"), basic(key, self.shape)
        if 0 in selected.counts:
            np.broadcast_to(np.asarray(value, self.dtype), selected.shape)
            return
        # The box around the selected items, in ascending order.
        box, inner = [], []
        for start, step, count in selected.axes:
            low, high = sorted((start, start + step * (count - 1)))
            box.append((low, high + 1))
            inner.append(slice(None, None, step))
        if self.format == "carray":
            box[1:] = [(0, size) for size in self.shape[1:]]
            inner[1:] = [slice(start, _stop(start, step, count), step) for start, step, count in selected.axes[1:]]
        whole = all(high - low == count for (low, high), count in zip(box, selected.counts))
        region = tuple(slice(low, high) for low, high in box)
        extent = tuple(high - low for low, high in box)
        items = np.empty(extent, self.dtype) if whole else self[region]
        # With the ellipsis, an array without axes gives an array, not a scalar.
        places: tuple[Any, ...] = (*inner, ...)
        target = items[places]
        target.reshape(selected.shape)[...] = unmasked(value)
        _core.set_items(path, [low for low, _ in box], [high for _, high in box], bytes_of(items), **self._handle.options())

    def append(self, items: ArrayLike) -> None:
        """Append rows: items of the same shape but for the first axis, or one row.

        Numbers and text are cast as NumPy's ``same_kind`` allows. Integers out of range and text that is too long are
        errors.
        """
        with self._handle.change():
            self._append(items)

    def _append(self, items: ArrayLike) -> None:
        import numpy as np

        path, shape = self._changes("bloscpack", "b2nd", "carray"), self.shape
        # Other kinds, such as dates and fields, are converted as NumPy does.
        is_checked = self.dtype.kind in "biufcSU"
        rows = np.atleast_1d(np.asarray(unmasked(items)) if is_checked else np.asarray(unmasked(items), self.dtype))
        if rows.ndim == len(shape) - 1:
            rows = rows[None]
        if not shape or rows.shape[1:] != shape[1:]:
            raise ValueError(f"cannot append items of shape {rows.shape} to an array of shape {shape}")
        if self._reader.order == "F" and len(shape) > 1:
            raise ValueError("an array in Fortran order has its rows all over the file and cannot grow")
        if is_checked and rows.size:
            rows = cast("the array", self.dtype, rows)
        if len(rows):
            rows = np.ascontiguousarray(rows, self.dtype)
            _core.append(path, list(rows.shape), bytes_of(rows), **self._handle.options())

    def resize(self, shape: int | Sequence[int]) -> None:
        """Change the shape. New items are zeros, or the default of a carray.

        A b2nd array may change along every axis, a carray along the first.
        """
        with self._handle.change():
            self._resize(shape_of(shape))

    def _resize(self, new: tuple[int, ...]) -> None:
        path = self._changes("b2nd", "carray")
        if len(new) != self.ndim or any(size < 0 for size in new):
            raise ValueError(f"cannot resize an array of shape {self.shape} to {new}")
        if self.format == "carray" and new[1:] != self.shape[1:]:
            raise ValueError("a carray changes along its first axis only")
        _core.resize(path, list(new), limits=self._handle.limits)

    def _changes(self, *formats: str) -> str:
        """Return the path for a change that only these formats have."""
        path = self._handle.path()
        self._dtype = None
        if self.format not in formats:
            raise UnsupportedError(f"an array of format {self.format} has no such change; {' and '.join(formats)} have it")
        return path


def _stop(start: int, step: int, count: int) -> int | None:
    """Return the end of the slice with these items; None before the first item of the axis."""
    stop = start + step * count
    return None if stop < 0 else stop
