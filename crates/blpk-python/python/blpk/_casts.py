"""Values for an array or a column of another dtype, without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def unmasked(values: Any) -> Any:
    """Return values that all count.

    Raises
    ------
    TypeError
        For an array with masked items, which no format has.
    """
    import numpy as np

    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise TypeError("some items are masked, and no format stores that; call filled() first")
    return values


def cast(what: str, base: np.dtype[Any], array: NDArray[Any]) -> NDArray[Any]:
    """Return values as an array of dtype `base`, which `what` has.

    Raises
    ------
    TypeError, ValueError
        For integers out of range, for values of another kind, and for text that is too long.
    """
    is_date = base.kind in "mM" and array.dtype.kind in "SU"
    if base.kind not in "SU" and (array.dtype.kind == "O" or is_date):
        array = _typed(what, base, array)
    if base.kind in "SU":
        array = _text(what, base, array)
    elif not _casts(array, base):
        raise TypeError(f"{what} is of dtype {base}, {array.dtype} cannot be cast to it without loss")
    return array.astype(base, copy=False)


def _typed(what: str, base: np.dtype[Any], array: NDArray[Any]) -> NDArray[Any]:
    """Return Python objects as the type that NumPy gives them, and objects or texts as dates."""
    import numpy as np

    try:
        return np.array(array.tolist(), base if base.kind in "mM" else None).reshape(array.shape)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} is of dtype {base}: {error}") from None


def _text(what: str, base: np.dtype[Any], array: NDArray[Any]) -> NDArray[Any]:
    """Return text for a column of bytes (in UTF-8) or of characters."""
    import numpy as np

    if array.dtype.kind == "O" and array.size:
        kinds = {type(item) for item in array.flat}
        if kinds <= {str, bytes} and len(kinds) == 1:
            array = array.astype("U" if kinds == {str} else "S")
    if base.kind == "S" and array.dtype.kind == "U":
        array = np.char.encode(array, "utf-8")
    if array.dtype.kind != base.kind:
        raise TypeError(f"{what} is of dtype {base}, {array.dtype} cannot be cast to it")
    longest = int(np.char.str_len(array).max()) if array.size else 0
    room = base.itemsize // (4 if base.kind == "U" else 1)
    if longest > room:
        raise ValueError(f"{what} is of dtype {base}, which holds {room} characters, found one of {longest}")
    return array


def _casts(array: NDArray[Any], base: np.dtype[Any]) -> bool:
    """Return whether values can be cast: integers in their range, other values within their kind."""
    import numpy as np

    if array.dtype.kind in "iu" and base.kind in "iu" and not np.can_cast(array.dtype, base, "safe"):
        bounds = np.iinfo(base)
        return array.size == 0 or (int(array.min()) >= bounds.min and int(array.max()) <= bounds.max)
    return np.can_cast(array.dtype, base, "same_kind")
