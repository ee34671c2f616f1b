"""Attributes of tables and of their columns."""

from __future__ import annotations

from collections.abc import Callable

from . import _core
from ._attrs import AttributeMapping


class TableAttributes(AttributeMapping):
    """The attributes of a table, or of one of its columns: JSON values by name.

    Each change is written at once. Numbers, booleans and text of NumPy are stored as JSON's, arrays of them as lists.
    """

    def __init__(
        self, writable: Callable[[], _core.Table], table: Callable[[], _core.Table], column: str | None
    ) -> None:
        self._writable, self._table, self._column = writable, table, column

    def _read(self, name: str | None) -> str:
        return self._table().attrs(self._column)

    def _write(self, name: str, text: str | None) -> None:
        table = self._writable()
        if text is None and name not in self:
            raise KeyError(name)
        _core.set_table_attr(table, self._column, name, text)
