"""NumPy's indexing: basic, as one start, step and count for each axis, and by an array along the first axis."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Basic(NamedTuple):
    """The items that an index selects."""

    #: Start, step and count for each axis of the array.
    axes: list[tuple[int, int, int]]
    #: The shape of the result: without the axes of integers, with the axes of None.
    shape: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of selected items along each axis of the array."""
        return tuple(count for _, _, count in self.axes)


def basic(key: Any, shape: tuple[int, ...]) -> Basic:
    """Apply an index of integers, slices, an ellipsis and None to a shape.

    Raises
    ------
    IndexError
        For an integer outside its axis, too many indices, or an entry of another type.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    named = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if named > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} axes, but {named} were indexed")
    ellipses = [at for at, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = ellipses[0] if ellipses else len(entries)
    entries[at : at + 1] = [slice(None)] * (len(shape) - named)
    axes: list[tuple[int, int, int]] = []
    result: list[int] = []
    for entry in entries:
        if entry is None:
            result.append(1)
            continue
        size = shape[len(axes)]
        if isinstance(entry, slice):
            start, stop, step = entry.indices(size)
            count = len(range(start, stop, step))
            axes.append((start if count else 0, step if count > 1 else 1, count))
            result.append(count)
        else:
            axes.append((integer(entry, len(axes), size), 1, 1))
    return Basic(axes, tuple(result))


def integer(entry: Any, axis: int, size: int) -> int:
    """Return an integer index, counted from the start of its axis."""
    try:
        if isinstance(entry, bool):
            # An axis of its own in NumPy, not the number 0 or 1.
            raise TypeError
        index = operator.index(entry)
    except TypeError:
        kind = type(entry).__name__
        raise IndexError(f"an index is made of integers, slices, '...' and None, not {kind}") from None
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape that is given as one integer or several.

    Raises
    ------
    TypeError
        For sizes that are not integers.
    """
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(operator.index(size) for size in shape)


def rows(key: Any, shape: tuple[int, ...]) -> tuple[NDArray[np.intp], tuple[Any, ...]] | None:
    """Return the rows that an array in `key` selects, and the rest of the index. None if there is no array."""
    if isinstance(key, tuple) and not key:
        return None
    first, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, ())
    if first is None or first is Ellipsis or isinstance(first, (slice, int)) or not hasattr(first, "__len__"):
        return None
    import numpy as np

    numbers = np.asarray(first)
    if numbers.ndim == 0:
        return None
    if not shape:
        raise IndexError("too many indices: the array has 0 axes, but 1 was indexed")
    if numbers.ndim != 1:
        raise IndexError("an array as an index must have one axis; it selects along the first axis of the array")
    if numbers.size == 0 and not isinstance(first, np.ndarray):
        numbers = numbers.astype(np.intp)
    if numbers.dtype == bool:
        if len(numbers) != shape[0]:
            raise IndexError(f"a boolean index has {len(numbers)} items, but the axis has {shape[0]}")
        return np.flatnonzero(numbers), rest
    if numbers.dtype.kind not in "iu":
        raise IndexError("an array as an index must be of integers or booleans")
    numbers = numbers.astype(np.intp)
    outside = numbers[(numbers < -shape[0]) | (numbers >= shape[0])]
    if outside.size:
        raise IndexError(f"index {outside[0]} is out of bounds for axis 0 with size {shape[0]}")
    return np.where(numbers < 0, numbers + shape[0], numbers), rest
