"""Dtypes of columns, and rows that callers append, as one contiguous array for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._casts import cast, unmasked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    NewColumn = tuple[str, str, list[int]]


def dtype_of(descr: str, axes: Sequence[int]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the dtype of an item and the axes within a row, from what the core says of a column."""
    import ast

    import numpy as np

    if descr.startswith("["):
        return np.lib.format.descr_to_dtype(ast.literal_eval(descr)), tuple(axes)
    return np.dtype(descr), tuple(axes)


def _descr(dtype: np.dtype[Any]) -> tuple[str, list[int]]:
    """Return the type string and the axes of a field."""
    base, axes = dtype.subdtype or (dtype, ())
    if base.hasobject:
        raise TypeError("columns of Python objects cannot be created")
    return (base.str if base.fields is None else repr(base.descr)), [int(axis) for axis in axes]


def fields_of(dtype: DTypeLike) -> list[NewColumn]:
    """Return name, type string and axes of each field."""
    import numpy as np

    dtype = np.dtype(dtype)
    if not dtype.names or dtype.fields is None:
        raise TypeError(f"a table needs a dtype with a field for each column, not {dtype}")
    return [(name, *_descr(dtype.fields[name][0])) for name in dtype.names]


def new_column(name: str, values: Any) -> tuple[NewColumn, NDArray[np.uint8]]:
    """Return the description of a column with these values, and their bytes."""
    import numpy as np

    array = np.asarray(unmasked(values))
    if array.ndim == 0:
        raise ValueError("a column needs one value for each row")
    text, axes = _descr(np.dtype((array.dtype, array.shape[1:])) if array.ndim > 1 else array.dtype)
    return (name, text, axes), _bytes(array)


def columns_of(rows: Any, dtype: np.dtype[Any]) -> list[NDArray[np.uint8]]:
    """Return the bytes of each column of these rows.

    Parameters
    ----------
    rows : structured array, mapping, table or sequence
        As for :meth:`Table.append`.
    dtype : dtype
        Of the table.
    """
    import numpy as np

    names = list(dtype.names or ())
    if isinstance(rows, list) and all(isinstance(row, tuple) for row in rows):
        # As in NumPy, a list of tuples is a list of rows, also an empty one.
        rows = _by_column(rows, dtype)
    if isinstance(rows, Mapping):
        columns = _by_name(rows, list(rows), names)
    elif isinstance(rows, np.ndarray) and rows.dtype.names is not None:
        records = rows.reshape(1) if rows.ndim == 0 else rows
        columns = _by_name(records, list(rows.dtype.names), names)
    elif isinstance(rows, np.void) and rows.dtype.names is not None:
        columns = _by_name(np.asarray(rows).reshape(1), list(rows.dtype.names), names)
    elif hasattr(rows, "__arrow_c_stream__") and hasattr(rows, "names"):
        # A table of this package.
        columns = _by_name(rows, rows.names, names)
    elif hasattr(rows, "columns"):
        kind = type(rows).__name__
        raise TypeError(f"rows are an array, a mapping or a sequence, not {kind}; pass a mapping from names to its columns")
    else:
        columns = list(rows)
        if len(columns) != len(names):
            raise ValueError(f"{len(columns)} columns were given, the table has {len(names)}: {', '.join(names)}")
    return _equally_long([_cast(name, dtype[name], column) for name, column in zip(names, columns)], names)


def _by_column(rows: list[tuple[Any, ...]], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the values of each column. NumPy would cut off texts and fractions, so it only converts other values."""
    import numpy as np

    names = list(dtype.names or ())
    lengths = {len(row) for row in rows} - {len(names)}
    if lengths:
        raise ValueError(f"a row has {min(lengths)} values, the table has {len(names)} columns")
    columns: dict[str, Any] = dict(zip(names, zip(*rows))) if rows else {name: () for name in names}
    for name, values in columns.items():
        is_checked = dtype[name].kind in "biufcSU"
        columns[name] = list(values) if is_checked else np.array(list(values), dtype[name])
    return columns


def _by_name(rows: Any, found: list[str], names: list[str]) -> list[Any]:
    if set(found) != set(names):
        missing, unknown = sorted(set(names) - set(found)), sorted(set(found) - set(names))
        raise ValueError(f"the columns do not match: missing {missing}, unknown {unknown}")
    return [rows[name] for name in names]


def _cast(name: str, dtype: np.dtype[Any], column: Any) -> NDArray[Any]:
    """Return values as an array of the dtype of the column."""
    import numpy as np

    base, axes = dtype.subdtype or (dtype, ())
    array = np.asarray(unmasked(column))
    if array.size == 0 and not hasattr(column, "dtype"):
        # An empty list.
        array = array.astype(base).reshape(0, *axes)
    if array.ndim == 0:
        kind = type(column).__name__
        raise ValueError(f"column '{name}' needs a sequence or an array with one value for each row, not {kind}")
    if array.shape[1:] != tuple(axes):
        raise ValueError(f"column '{name}' has rows of shape {tuple(axes)}, found an array of shape {array.shape}")
    return np.ascontiguousarray(cast(f"column '{name}'", base, array))


def _equally_long(columns: list[NDArray[Any]], names: list[str]) -> list[NDArray[np.uint8]]:
    lengths = {name: len(column) for name, column in zip(names, columns)}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns differ in their number of rows: {lengths}")
    return [_bytes(column) for column in columns]


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the memory of an array, in C order. Dates have no buffer of their own."""
    import numpy as np

    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8) if flat.nbytes else np.empty(0, np.uint8)
