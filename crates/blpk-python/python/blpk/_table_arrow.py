"""Rows of a table as an object with the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


class ArrowRows:
    """Rows of some columns. Each call of :meth:`__arrow_c_stream__` starts a stream of its own."""

    def __init__(
        self,
        table: _core.Table,
        names: Sequence[str],
        binary: Sequence[str],
        rows: tuple[int, int],
        batch_rows: int | None,
    ) -> None:
        unknown = set(binary) - set(names)
        if unknown:
            raise ValueError(f"binary names columns that are not selected: {sorted(unknown)}")
        self._table = table
        self._names = list(names)
        self._binary = set(binary)
        self._rows = rows
        self._batch_rows = batch_rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a capsule with a stream of batches. The requested schema is not used."""
        return _core.table_stream(self._table, self._names, self._binary, *self._rows, self._batch_rows)

    def __arrow_c_schema__(self) -> object:
        """Return a capsule with the schema."""
        return _core.table_schema(self._table, self._names, self._binary)

    def __repr__(self) -> str:
        start, stop = self._rows
        return f"<blpk Arrow rows {start}:{stop} of columns {', '.join(self._names)}>"
