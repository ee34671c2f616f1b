"""What a table is, and its rows as NumPy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._array import Array
from ._errors import NotFoundError
from ._handle import Handle
from ._index import basic, rows
from ._table_rows import dtype_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    from ._types import Goal, Path

Self = TypeVar("Self", bound="TableReader")

#: Plain bytes that iteration and selections by index hold at once.
WINDOW = 4 << 20


class TableReader:
    """The part of :class:`blpk._table.Table` that describes and reads."""

    def __init__(
        self,
        path: Path,
        mode: str = "r",
        *,
        threads: int | None = 1,
        limits: Mapping[str, int] | None = None,
        auto: bool | Goal | None = None,
    ) -> None:
        if mode not in ("r", "r+", "a"):
            raise ValueError(f"mode is {mode!r}, expected 'r', 'r+' or 'a'")
        self._path = os.path.abspath(os.fspath(path))
        self._mode = mode
        self._threads = threads
        self._limits = None if limits is None else dict(limits)
        self._auto = auto
        self._selected: tuple[str, ...] | None = None
        self._open: _core.Table | None = _core.Table(self._path, threads=threads, limits=self._limits)
        self._process = os.getpid()
        self._dtype: np.dtype[Any] | None = None

    # Description

    @property
    def _snapshot(self) -> _core.Table:
        if self._open is None:
            raise ValueError("the table is closed")
        if self._process != os.getpid():
            # A process may fork while another thread changes the table. Its child needs a table that nothing is using.
            self._open = _core.Table(self._path, threads=self._threads, limits=self._limits)
            self._process = os.getpid()
        return self._open

    @property
    def path(self) -> str:
        """The directory."""
        return self._path

    @property
    def mode(self) -> str:
        """``"r"``, ``"r+"`` or ``"a"``."""
        return self._mode

    @property
    def names(self) -> list[str]:
        """Names of the columns in their order."""
        return [facts[0] for facts in self._facts()]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of a row: a field for each column."""
        if self._dtype is None:
            import numpy as np

            self._dtype = np.dtype([(facts[0], *dtype_of(facts[1], facts[2])) for facts in self._facts()])
        return self._dtype

    @property
    def shape(self) -> tuple[int]:
        """``(nrows,)``"""
        return (self.nrows,)

    @property
    def ndim(self) -> int:
        """1, as of a structured array."""
        return 1

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return len(self._snapshot)

    @property
    def nbytes(self) -> int:
        """Uncompressed size of the columns in bytes."""
        return sum(facts[3] for facts in self._facts())

    @property
    def cbytes(self) -> int:
        """Compressed size of the columns in bytes, as their metadata say."""
        return sum(facts[4] for facts in self._facts())

    def __len__(self) -> int:
        return self.nrows

    def __contains__(self, name: object) -> bool:
        """Return whether there is a column of this name."""
        return isinstance(name, str) and name in self._present()

    def __repr__(self) -> str:
        name = os.path.basename(self._path)
        if self._open is None:
            return f"<blpk.Table {name!r}: closed>"
        try:
            facts = self._facts()
        except NotFoundError as error:
            return f"<blpk.Table {name!r}: {error}>"
        width = max((len(fact[0]) for fact in facts), default=0)
        lines = [f"<blpk.Table {name!r}: {self.nrows} rows, {len(facts)} columns, mode {self._mode!r}"]
        for column, dtype, axes, *_ in facts[:20]:
            lines.append(f"  {column:{width}}  {dtype}{' ' + str(tuple(axes)) if axes else ''}")
        if len(facts) > 20:
            lines.append(f"  … {len(facts) - 20} more")
        return "\n".join(lines) + ">"

    def _facts(self) -> list[tuple[str, str, list[int], int, int, int]]:
        """Return name, dtype, axes within a row, nbytes, cbytes and chunk length of the columns."""
        facts = self._snapshot.columns()
        if self._selected is None:
            return facts
        by_name = {fact[0]: fact for fact in facts}
        lost = [name for name in self._selected if name not in by_name]
        if lost:
            raise NotFoundError(f"the selected column {lost[0]!r} was renamed or deleted; select from the table again")
        return [by_name[name] for name in self._selected]

    def _present(self) -> list[str]:
        """Return the names of the columns that exist, of the selected ones if some are selected."""
        names = [facts[0] for facts in self._snapshot.columns()]
        return names if self._selected is None else [name for name in self._selected if name in names]

    # Reading

    def __getitem__(self, key: Any) -> Any:
        """Read rows, or select columns.

        ``table["a"]`` is a column, ``table[["a", "b"]]`` a table of some columns. ``table[3]`` is a row,
        ``table[a:b:step]`` a structured array, and so is ``table[rows]`` for a mask or an array of indices.
        """
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self._select(key)
        numbers = rows(key, self.shape)
        if numbers is not None:
            if numbers[1]:
                raise IndexError("a table has one axis, its rows")
            return self._take(numbers[0])
        selected = basic(key, self.shape)
        start, step, count = selected.axes[0]
        last = start + step * (count - 1)
        if step > 0:
            records = self._read(start, last + 1 if count else start, step)
        else:
            records = self._read(last, start + 1, -step)[::-1]
        has_axis = selected.shape or key is Ellipsis
        return records.reshape(selected.shape) if has_axis else records[0]

    def _take(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """Return rows by number, in any order. Each chunk is decoded once."""
        import numpy as np

        self._snapshot.check_output(len(numbers) * self.dtype.itemsize)
        window = self.rows_of(WINDOW)
        result = np.empty(len(numbers), self.dtype)
        order = np.argsort(numbers, kind="stable")
        ascending = numbers[order]
        edges = np.flatnonzero(np.diff(ascending // window)) + 1
        for places, rows in zip(np.split(order, edges), np.split(ascending, edges)):
            if len(rows):
                first = int(rows[0])
                result[places] = self._read(first, int(rows[-1]) + 1)[rows - first]
        return result

    def __iter__(self) -> Iterator[np.void]:
        """Iterate over the rows. Memory is bounded, whatever their number."""
        nrows, window = self.nrows, self.rows_of(WINDOW)
        for start in range(0, nrows, window):
            yield from self._read(start, min(start + window, nrows))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a table is decoded to a new array; copy=False is not possible")
        records: NDArray[Any] = self[:]
        return records if dtype is None else records.astype(dtype)

    def _read(self, start: int, stop: int, step: int = 1) -> NDArray[Any]:
        import numpy as np

        count = len(range(start, stop, step))
        dtype = self.dtype
        self._snapshot.check_output(count * dtype.itemsize)
        fields = [] if dtype.fields is None else [(name, dtype.fields[name][1]) for name in dtype.names or ()]
        if dtype.hasobject:
            self._check_readable(self.names)
        records = np.empty(count, dtype)
        if count and dtype.itemsize:
            try:
                self._snapshot.read_records(fields, (start, stop, step), dtype.itemsize, records.view(np.uint8))
            except FileNotFoundError as error:
                hint = f"{error.strerror or error}; if the table was changed elsewhere, refresh() reads it as it is now"
                raise FileNotFoundError(error.errno, hint, error.filename) from error
        return records

    def rows_of(self, nbytes: int) -> int:
        """Return the number of rows that have about `nbytes` uncompressed bytes: whole chunks, where they fit."""
        rows = max(1, nbytes // max(1, self.dtype.itemsize))
        chunk = max((facts[5] for facts in self._facts()), default=1) or 1
        return rows // chunk * chunk or rows

    def _column(self, name: str) -> Array:
        self._check_names([name])
        self._check_readable([name])
        return Array(Handle(self._path, "r", column=name, threads=self._threads, limits=self._limits))

    def _check_names(self, names: Sequence[str]) -> None:
        known = self._present()
        for name in names:
            if name not in known:
                raise NotFoundError(f"there is no column {name!r}, only {', '.join(map(repr, known))}")

    def _check_readable(self, names: list[str]) -> None:
        """Refuse columns of Python objects by their names."""
        self._snapshot.read_columns(names, (0, 0, 1), [bytearray() for _ in names])

    def _select(self: Self, names: Sequence[str]) -> Self:
        self._check_names(names)
        if len(set(names)) != len(names):
            raise ValueError(f"a column is selected twice: {names}")
        view = type(self).__new__(type(self))
        view.__dict__.update(self.__dict__, _selected=tuple(names), _dtype=None)
        return view
