"""Arrays and tables as collections of dask.

Tasks hold the path and the options, no data. Each worker opens the file itself, so that any scheduler can run them:
threads, processes, or a cluster whose workers see the path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._table import Table
from ._version import version

if TYPE_CHECKING:
    import dask.array
    import dask.dataframe
    import pandas  # type: ignore[import-untyped]

    from ._types import Path

__all__ = ["to_dask", "to_dask_dataframe"]

#: Uncompressed bytes of a partition, unless its rows are given.
PARTITION_BYTES = 64 << 20


def to_dask(
    path: Path,
    *,
    chunks: Any = None,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> dask.array.Array:
    """Return an array on disk as an array of dask.

    Parameters
    ----------
    path : path
        An array that :func:`blpk.open` opens.
    chunks : optional
        As in :func:`dask.array.from_array`. By default, chunks of dask are whole chunks of the file, of about the size
        that dask is configured for.
    threads, limits : optional
        As in :func:`blpk.open`, for each task.
    **options
        Further arguments of :func:`dask.array.from_array`, such as ``name``.

    Examples
    --------
    >>> import blpk.dask
    >>> blpk.dask.to_dask("temperature.b2nd").mean(axis=0).compute()  # doctest: +SKIP
    """
    import dask.array
    from dask.base import tokenize

    import blpk

    path = os.path.abspath(os.fspath(path))
    array = blpk.open(path, threads=threads, limits=limits)
    if not isinstance(array, blpk.Array):
        raise TypeError(f"{path} is a {type(array).__name__}, not an array")
    if chunks is None:
        # dask takes multiples of the chunks that the array has.
        chunks = "auto" if array.ndim else -1
    options = {"asarray": True, "lock": False, **options}
    if "name" not in options:
        token = tokenize(path, version(path), chunks, threads, limits, sorted(options.items()))
        options["name"] = f"blpk-{token}"
    from_array: Callable[..., dask.array.Array] = dask.array.from_array
    return from_array(array, chunks=chunks, **options)


def _arrow_dtype(kind: Any) -> Any:
    """Return pandas' dtype for an Arrow type that is objects otherwise, which dask makes strings."""
    import pandas
    from pyarrow import types  # type: ignore[import-untyped]

    has_no_dtype = (types.is_binary, types.is_fixed_size_binary, types.is_nested, types.is_date)
    return pandas.ArrowDtype(kind) if any(check(kind) for check in has_no_dtype) else None


class _ReadRows:
    """Reads a range of rows of a table to a frame of pandas. Only the path and the options are pickled."""

    def __init__(self, path: str, columns: list[str], binary: list[str], options: dict[str, Any]) -> None:
        self.path = path
        self.columns = columns
        self.binary = binary
        self.options = options

    def __call__(self, rows: tuple[int, int]) -> pandas.DataFrame:
        import pandas
        import pyarrow

        with Table(self.path, **self.options) as table:
            stream = table[self.columns].arrow(slice(*rows), binary=self.binary)
            frame = pyarrow.table(stream).to_pandas(
                split_blocks=True, self_destruct=True, types_mapper=_arrow_dtype
            )
        frame.index = pandas.RangeIndex(*rows)
        return frame

    def __dask_tokenize__(self) -> Any:
        # A table that was changed has other tasks.
        folders = [self.path, *(os.path.join(self.path, column) for column in self.columns)]
        versions = [version(folder) for folder in folders]
        return (self.path, self.columns, self.binary, sorted(self.options.items(), key=repr), versions)


def to_dask_dataframe(
    path: Path | Table,
    columns: str | Sequence[str] | None = None,
    *,
    rows: int | None = None,
    binary: bool | Sequence[str] = (),
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
) -> dask.dataframe.DataFrame:
    """Return a table on disk as a frame of dask, through Arrow.

    Each partition is a range of rows, which a task reads when it is computed. The index is the number of the row, and
    the divisions are known. Text, numbers, dates with a time and spans have pandas' own dtypes; other columns have the
    Arrow dtypes of pandas. The table must not be changed while tasks read it.

    Parameters
    ----------
    path : path or Table
        A bcolz ctable.
    columns : str or sequence of str, optional
        Names of columns, in the order of the result; all by default.
    rows : int, optional
        Rows of a partition. By default, whole chunks of about 64 MiB of uncompressed data.
    binary : bool or sequence of str
        Columns of dtype ``S<n>`` that are bytes instead of text, as in :meth:`Table.arrow`.
    threads, limits : optional
        As in :class:`Table`, for each task.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from blpk._table import create
    >>> table = create(tempfile.mkdtemp() + "/t", [("key", "S1"), ("x", "f8")])
    >>> _ = table.append([np.tile([b"a", b"b"], 500), np.arange(1000)])
    >>> frame = to_dask_dataframe(table.path, rows=300)
    >>> frame.npartitions
    4
    >>> frame.groupby("key").x.sum().compute().to_dict()
    {'a': 249500.0, 'b': 250000.0}
    """
    import dask.dataframe

    options: dict[str, Any] = {"threads": threads, "limits": None if limits is None else dict(limits)}
    if isinstance(path, Table):
        columns = path.names if columns is None else columns
        path = path.path
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None and any(not isinstance(name, str) for name in columns):
        raise TypeError("columns are names")
    if columns is not None and not (columns := list(columns)):
        raise ValueError("a frame needs at least one column")
    with Table(path, **options) as table:
        view = table if columns is None else table[columns]
        names, nrows, step = view.names, view.nrows, view.rows_of(PARTITION_BYTES) if rows is None else rows
        if not names:
            raise ValueError("a frame needs at least one column")
        if step < 1:
            raise ValueError("rows must be at least 1")
        raw = names if binary is True else [] if binary is False else list(binary)
        read = _ReadRows(table.path, names, raw, options)
    parts = [(start, min(start + step, nrows)) for start in range(0, nrows, step)] or [(0, 0)]
    divisions = (*(start for start, _ in parts), max(nrows - 1, 0)) if nrows else None
    from_map: Callable[..., dask.dataframe.DataFrame] = dask.dataframe.from_map
    return from_map(read, parts, meta=read((0, 0)), divisions=divisions, label="blpk")
