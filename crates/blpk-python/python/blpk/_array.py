"""Arrays in containers of any kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._array_read import ArrayReader, bytes_of
from ._casts import cast, unmasked
from ._errors import UnsupportedError
from ._index import Basic, basic, rows, shape_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    #: Start, step and count for each axis, and the bytes of the items.
    Part = tuple[list[tuple[int, int, int]], NDArray[np.uint8]]


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

        `key` is made of integers, slices, an ellipsis and None. An array of integers or booleans selects along the first
        axis. Values are cast as NumPy does in assignments: fractions and long texts are cut. The new items are in memory,
        for such an array the rows between them too, and of a carray the whole rows.
        Chunks of a frame are compressed by the threads of the array, those of a carray by one.
        """
        with self._handle.change():
            path = self._changes("b2nd", "carray")
            numbers = rows(key, self.shape)
            parts = self._basic_part(key, value) if numbers is None else self._row_parts(*numbers, value)
            if parts:
                _core.set_items(path, parts, **self._handle.options())

    def _basic_part(self, key: Any, value: ArrayLike) -> list[Part]:
        """Return new items for a basic index, and where they are stored."""
        import numpy as np

        selected = basic(key, self.shape)
        if 0 in selected.counts:
            # NumPy's check of the shape. There are no items.
            np.empty(selected.shape, self.dtype)[...] = unmasked(value)
            return []
        axes, items, target = self._part(selected.axes, True)
        target.reshape(selected.shape)[...] = unmasked(value)
        return [(axes, bytes_of(items))]

    def _row_parts(self, numbers: NDArray[np.intp], rest: tuple[Any, ...], value: ArrayLike) -> list[Part]:
        """Return new items for rows in any order, and where they are stored. The last of equal rows counts."""
        import numpy as np

        inner = basic((slice(0, 0), *rest), self.shape)
        new = np.empty((len(numbers), *inner.shape[1:]), self.dtype)
        new[...] = unmasked(value)
        parts: list[Part] = []
        for first, last, wanted in self._groups(numbers, inner.shape[1:], self.chunks[0]) if new.size else ():
            axes, items, target = self._part([(first, 1, last + 1 - first), *inner.axes[1:]], False)
            target.reshape(-1, *inner.shape[1:])[numbers[wanted] - first] = new[wanted]
            parts.append((axes, bytes_of(items)))
        return parts

    def _part(
        self, axes: list[tuple[int, int, int]], are_new: bool
    ) -> tuple[list[tuple[int, int, int]], NDArray[Any], NDArray[Any]]:
        """Return which items are stored at once to change those that `axes` select, these items, and the selected ones.

        `are_new` says that all selected items will be replaced.
        """
        import numpy as np

        stored: list[tuple[int, int, int]] = axes
        places: list[Any] = [slice(None)] * len(axes)
        if self.format == "carray":
            # Whole rows, in rising order.
            stored = [_rising(axes[0]), *((0, 1, size) for size in self.shape[1:])]
            places = [slice(None, None, 1 if axes[0][1] > 0 else -1)]
            places += [slice(start, _stop(start, step, count), step) for start, step, count in axes[1:]]
        extent = tuple(count for _, _, count in stored)
        are_all = are_new and math.prod(extent) == math.prod(count for _, _, count in axes)
        items = np.empty(extent, self.dtype) if are_all else self._read(Basic(stored, extent))
        # With the ellipsis, an array without axes gives an array, not a scalar.
        where: tuple[Any, ...] = (*places, ...)
        return stored, items, items[where]

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
        new = np.atleast_1d(np.asarray(unmasked(items)) if is_checked else np.asarray(unmasked(items), self.dtype))
        if new.ndim == len(shape) - 1:
            new = new[None]
        if not shape or new.shape[1:] != shape[1:]:
            raise ValueError(f"cannot append items of shape {new.shape} to an array of shape {shape}")
        if self._reader.order == "F" and len(shape) > 1:
            raise ValueError("an array in Fortran order has its rows all over the file and cannot grow")
        if is_checked and new.size:
            new = cast("the array", self.dtype, new)
        if len(new):
            new = np.ascontiguousarray(new, self.dtype)
            _core.append(path, list(new.shape), bytes_of(new), **self._handle.options())

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


def _rising(axis: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the same items of an axis from the first to the last."""
    start, step, count = axis
    return axis if step > 0 else (start + step * (count - 1), -step, count)


def _stop(start: int, step: int, count: int) -> int | None:
    """Return the end of the slice with these items; None before the first item of the axis."""
    stop = start + step * count
    return None if stop < 0 else stop
