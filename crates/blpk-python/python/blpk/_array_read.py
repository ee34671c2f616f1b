"""What an array in a container is, and its items as NumPy arrays."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._attrs import Attributes, VlMetalayers
from ._index import Basic, basic, rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._handle import Handle

Self = TypeVar("Self", bound="ArrayReader")

#: Size in bytes of the rows that iteration reads at once, and of the chunks of an array without chunks.
_ROWS_NBYTES = 1 << 20

#: Plain bytes that iteration and index arrays hold at once, if a row has less.
_WINDOW = 16 << 20


class ArrayReader:
    """The part of :class:`blpk._array.Array` that describes and reads."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._dtype: np.dtype[Any] | None = None

    @property
    def _reader(self) -> _core.Reader:
        return self._handle.reader()

    @property
    def format(self) -> str:
        """``"bloscpack"``, ``"b2nd"``, ``"carray"``, ``"zarr"`` or ``"npy"``."""
        return self._reader.format

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the items."""
        import ast

        import numpy as np

        dtype = self._dtype
        if dtype is None:
            # Unlike np.dtype, this takes the padding of aligned fields out of the names.
            dtype = self._dtype = np.lib.format.descr_to_dtype(ast.literal_eval(self._reader.descr))
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of items along each axis."""
        return tuple(self._reader.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of items."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size of all items in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...]:
        """The items of a chunk along each axis: the shape that is read fastest.

        Chunks of a bloscpack file or a carray are rows. For an array without chunks it is about 1 MiB.
        """
        return self._cut(0)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The items of a block along each axis: the smallest part that is decoded."""
        return self._cut(1)

    def _cut(self, which: int) -> tuple[int, ...]:
        reader, shape = self._reader, self.shape
        if reader.grid is not None:
            return tuple(reader.grid[which])
        nbytes = (reader.block_nbytes() if which else reader.chunk_nbytes) or _ROWS_NBYTES
        axis = len(shape) - 1 if reader.order == "F" else 0
        row = max(self.nbytes // max(shape[axis], 1), 1) if shape else 1
        cut = list(shape)
        if shape:
            cut[axis] = min(max(nbytes // row, 1), max(shape[axis], 1))
        return tuple(cut)

    @property
    def decoded(self) -> int:
        """Plain bytes of all blocks decoded since the array was opened or changed."""
        return self._reader.decoded

    @property
    def attrs(self) -> Attributes:
        """The attributes: JSON values by name."""
        return Attributes(self._handle)

    @property
    def vlmeta(self) -> VlMetalayers:
        """The vlmetalayers of a frame: bytes by name. Other formats have none."""
        return VlMetalayers(self._handle)

    # Reading

    def __getitem__(self, key: Any) -> Any:
        """Return items as a NumPy array, or a single item as a scalar.

        `key` is made of integers, slices, an ellipsis and None. An array of integers or booleans selects along the
        first axis. A result that exceeds the limits raises LimitError.
        """
        numbers = rows(key, self.shape)
        if numbers is not None:
            return self._take(*numbers)
        selected = basic(key, self.shape)
        items = self._read(selected)
        # Like NumPy: an index of integers only gives a scalar, one with an ellipsis an array.
        has_ellipsis = key is Ellipsis or isinstance(key, tuple) and any(entry is Ellipsis for entry in key)
        return items if selected.shape or has_ellipsis else items[()]

    def _read(self, selected: Basic) -> NDArray[Any]:
        import numpy as np

        self._check_output(math.prod(selected.shape))
        # An item that is itself an array, as `('<f8', (2,))`, is one item here and more axes in NumPy.
        items = np.empty(selected.shape, self.dtype)
        self._reader.read_items(selected.axes, bytes_of(items))
        return items

    def _check_output(self, nitems: int) -> None:
        """Refuse a result that exceeds the limits, before it is allocated."""
        self._reader.check_output(nitems * self.dtype.itemsize)

    def _take(self, numbers: NDArray[np.intp], rest: tuple[Any, ...]) -> NDArray[Any]:
        """Return rows in any order. Each block is decoded once."""
        import numpy as np

        inner = basic((slice(0, 0), *rest), self.shape)
        self._check_output(len(numbers) * math.prod(inner.shape[1:]))
        result = np.empty((len(numbers), *inner.shape[1:]), self.dtype)
        for first, last, wanted in self._groups(numbers, inner.shape[1:], self.blocks[0]):
            part = self._read(basic((slice(first, last + 1), *rest), self.shape))
            result[wanted] = part[numbers[wanted] - first]
        return result

    def _groups(
        self, numbers: NDArray[np.intp], row: tuple[int, ...], cut: int
    ) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
        """Yield the first and the last row of each group of rows to be read together, and where it is in `numbers`.

        Groups are in rising order, and no two of them have rows of the same block or chunk, of `cut` rows. `row` is the
        shape of what is read of a row.
        """
        import numpy as np

        if numbers.size == 0:
            return
        unique, places = np.unique(numbers, return_inverse=True)
        # A window has whole blocks or chunks, so that none is decoded for two of them.
        gap = max(cut, 1)
        nbytes = max(math.prod(row) * self.dtype.itemsize, 1)
        windows = unique // (max(_WINDOW // nbytes // gap, 1) * gap)
        is_start = (np.diff(unique, prepend=unique[0] - gap - 1) > gap) | (np.diff(windows, prepend=windows[0]) > 0)
        starts = np.flatnonzero(is_start)
        ends = np.append(starts[1:], len(unique))
        order = np.argsort(places, kind="stable")
        bounds = np.searchsorted(places[order], np.append(starts, len(unique)))
        for number, (start, end) in enumerate(zip(starts, ends)):
            yield int(unique[start]), int(unique[end - 1]), order[bounds[number] : bounds[number + 1]]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the items of a container are always copied")
        items: NDArray[Any] = self[...]
        return items if dtype is None else items.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the first axis. At most 16 MiB, or one row, is in memory.

        Chunks are decoded once if a row of them, or of their blocks, has at most 16 MiB. Otherwise each is decoded for
        every 16 MiB of rows.
        """
        if not self.shape:
            raise TypeError("iteration over an array without axes")
        step = self._rows_at_once()
        for start in range(0, self.shape[0], step):
            yield from self[start : start + step]

    def _rows_at_once(self) -> int:
        """Return the rows that iteration reads at once: whole rows of chunks, else of blocks, if they are not too large."""
        row = max(self.nbytes // max(self.shape[0], 1), 1)
        for rows_of_cut in (self.chunks[0], self.blocks[0]):
            if 0 < rows_of_cut * row <= _WINDOW:
                return max(_ROWS_NBYTES // row // rows_of_cut, 1) * rows_of_cut
        return max(_WINDOW // row, 1)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        # Without it, dask would name tasks by the path, also after a change.
        return ("blpk.Array", *self._handle.token())

    def verify(self) -> None:
        """Decode all chunks and check all sizes and digests.

        Raises
        ------
        DamagedError
            For the first damage.
        """
        self._reader.verify()

    # Life

    def refresh(self) -> None:
        """Read the metadata again when it is next needed, to see what others have changed."""
        self._dtype = None
        self._handle.changed()

    def close(self) -> None:
        """Release the source. Nothing is pending: every change is already written."""
        self._handle.close()

    def __copy__(self: Self) -> Self:
        # Of its own: closing the copy does not close this array.
        return type(self)(copy.copy(self._handle))

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle.source is None:
            return "<blpk.Array closed>"
        return f"<blpk.Array {self.format} {self.shape} {self.dtype} of {self._handle!r}>"


def bytes_of(items: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the memory of an array in C order as bytes."""
    import numpy as np

    if items.size == 0 or items.dtype.itemsize == 0:
        return np.empty(0, np.uint8)
    return items.reshape(-1).view(np.uint8)
