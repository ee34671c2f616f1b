"""Attributes of tables and of their columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import _core
from ._attrs import Attributes


class TableAttributes(Attributes):
    """The attributes of a table, or of one of its columns."""

    def __init__(
        self, writable: Callable[[], _core.Table], table: Callable[[], _core.Table], column: str | None
    ) -> None:
        super().__init__(lambda _: table().attrs(column), lambda: "", lambda: None)
        self._writable, self._column = writable, column

    def __setitem__(self, name: str, value: Any) -> None:
        text = json.dumps(value, default=_plain)
        _core.set_table_attr(self._writable(), self._column, name, text)

    def __delitem__(self, name: str) -> None:
        table = self._writable()
        if name not in self:
            raise KeyError(name)
        _core.set_table_attr(table, self._column, name, None)


def _plain(value: Any) -> Any:
    """Return what JSON stores for a value of NumPy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"an attribute cannot be of type {type(value).__name__}, JSON has none")
