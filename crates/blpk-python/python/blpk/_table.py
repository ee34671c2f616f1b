"""Tables: named columns of the same length, in the directory layout of bcolz."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._table_attrs import TableAttributes
from ._table_create import create
from ._table_read import TableReader
from ._table_rows import columns_of, new_column

if TYPE_CHECKING:
    from ._table_arrow import ArrowRows

__all__ = ["Table", "create"]


class Table(TableReader):
    """A table on disk: a bcolz ctable.

    Rows are read when they are indexed, and only the blocks that hold them are decoded. The object is a snapshot: what
    other processes append is seen after :meth:`refresh`. pyarrow, polars, DuckDB and pandas read it directly, see
    :meth:`__arrow_c_stream__`.

    Parameters
    ----------
    path : path
        The directory.
    mode : {"r", "r+", "a"}
        ``"r"`` to read, ``"r+"`` or ``"a"`` to read and change.
    threads : int or None
        Number of threads, None for one per core.
    limits : mapping, optional
        As for :func:`blpk.decompress`.
    auto : bool or str, optional
        Choose the parameters of appended chunks, as in :func:`blpk.compress`.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> path = tempfile.mkdtemp() + "/trades"
    >>> trades = create(path, [("symbol", "S4"), ("price", "f8")])
    >>> trades.append({"symbol": [b"AAPL", b"MSFT", b"AAPL"], "price": [170.5, 402.25, 171.0]})
    3
    >>> trades
    <blpk.Table 'trades': 3 rows, 2 columns, mode 'r+'
      symbol  |S4
      price   <f8>
    >>> trades["price"][1:]
    array([402.25, 171.  ])
    >>> trades[0]
    np.void((b'AAPL', 170.5), dtype=[('symbol', 'S4'), ('price', '<f8')])
    >>> trades[trades["symbol"][:] == b"AAPL"]["price"].mean()
    np.float64(170.75)
    """

    # Changes

    @property
    def attrs(self) -> TableAttributes:
        """Attributes of the table: JSON values by name."""
        return TableAttributes(self._writable, lambda: self._snapshot, None)

    def column_attrs(self, name: str) -> TableAttributes:
        """Attributes of a column: JSON values by name."""
        return TableAttributes(self._writable, lambda: self._snapshot, name)

    def append(self, rows: Any) -> int:
        """Append rows and commit them. Returns their number.

        Parameters
        ----------
        rows : structured array, mapping, table or sequence
            A structured array with the fields of the table, a list of tuples, a mapping from names to arrays, another
            table, or one array for each column in their order. All rows are in memory. Values are cast as NumPy's
            ``same_kind`` allows; dates may be objects or text.
        """
        core = self._writable()
        if self._selected is not None:
            raise io.UnsupportedOperation("rows are appended to the whole table, not to some of its columns")
        return _core.append_rows(core, columns_of(rows, self.dtype), auto=self._auto)

    def resize(self, nrows: int) -> None:
        """Cut the table to `nrows` rows, or fill it up with the default values of the columns."""
        _core.resize_table(self._writable(), nrows)

    def add_column(self, name: str, values: Any, at: int | None = None, **settings: Any) -> None:
        """Add a column at position `at`, or at the end. `settings` are codec, clevel and filters."""
        core, (column, buffer) = self._writable(), new_column(name, values)
        _core.add_column(core, column, buffer, at, **settings)

    def delete_column(self, name: str) -> None:
        """Delete a column and its files."""
        _core.delete_column(self._writable(), name)

    def rename_column(self, name: str, to: str) -> None:
        """Rename a column."""
        _core.rename_column(self._writable(), name, to)

    def refresh(self) -> None:
        """Read the metadata again, to see what others have changed."""
        self._snapshot.refresh()
        self._dtype = None

    def _writable(self) -> _core.Table:
        """Return the table for a change.

        Raises
        ------
        io.UnsupportedOperation
            If the mode is ``"r"``.
        """
        if self._mode == "r":
            raise io.UnsupportedOperation("open for reading only; mode 'r+' allows changes")
        self._dtype = None
        return self._snapshot

    # Arrow

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as a stream of Arrow batches in a capsule: the PyCapsule interface.

        ``pyarrow.table(table)``, ``polars.from_arrow(table)``, ``pandas.DataFrame.from_arrow(table)`` and
        ``duckdb.sql("select … from table")`` use it. A batch has 65536 rows or one chunk, and at most 32 MiB, and is
        decoded when the consumer asks for it, so that memory is bounded. The requested schema is not used.

        ============================  =====================================================================
        dtype                         Arrow type
        ============================  =====================================================================
        bool                          Boolean
        int8 … int64, uint8 … uint64  Int8 … Int64, UInt8 … UInt64
        float16, float32, float64     Float16, Float32, Float64
        ``S<n>``                      Utf8 without trailing NULs; other bytes: ``arrow(binary=[name])``
        ``U<n>``                      Utf8 without trailing NULs
        ``M8[Y]``, M, W, D            Date32; NaT is null
        ``M8[h]``, m, s, ms, us, ns   Timestamp in s, ms, us or ns, without time zone; NaT is null
        ``m8[W]`` … ns                Duration in s, ms, us or ns; NaT is null
        complex64, complex128         Struct of ``real`` and ``imag``
        ``V<n>``                      FixedSizeBinary
        fields                        Struct
        axes within a row             FixedSizeList, nested
        ============================  =====================================================================

        Columns of objects, of longer floats and of finer or generic time units are an :class:`UnsupportedError` that
        names the column; select other columns. Values out of Arrow's range are an error of the consumer that names
        column and row.
        """
        return self.arrow().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Return the Arrow schema in a capsule."""
        return self.arrow().__arrow_c_schema__()

    def arrow(
        self,
        rows: slice = slice(None),
        *,
        binary: bool | Sequence[str] = (),
        batch_rows: int | None = None,
    ) -> ArrowRows:
        """Return rows as an object with the Arrow PyCapsule interface, with options.

        Parameters
        ----------
        rows : slice
            A range of rows, with step 1.
        binary : bool or sequence of str
            Columns of dtype ``S<n>`` that are Binary instead of Utf8; True for all.
        batch_rows : int, optional
            Rows of a batch.
        """
        from ._table_arrow import ArrowRows

        if not isinstance(rows, slice):
            raise TypeError(f"rows are a slice, not {type(rows).__name__}")
        start, stop, step = rows.indices(self.nrows)
        if step != 1:
            raise ValueError("Arrow streams have rows with step 1")
        names = self.names
        if isinstance(binary, bool):
            binary = names if binary else ()
        return ArrowRows(self._snapshot, names, list(binary), (start, max(start, stop)), batch_rows)

    # Life

    def close(self) -> None:
        """Close the table. All changes are committed already."""
        self._open = None

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"threads": self._threads, "limits": self._limits, "auto": self._auto}
        return _reopen, (self._path, self._mode, options, self._selected)


def _reopen(path: str, mode: str, options: dict[str, Any], selected: tuple[str, ...] | None) -> Table:
    table = Table(path, mode, **options)
    return table if selected is None else table._select(selected)
