"""Creates tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _core
from ._table_rows import fields_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._table import Table
    from ._types import Goal, Path


def create(
    path: Path,
    dtype: DTypeLike,
    *,
    codec: str | None = None,
    clevel: int | None = None,
    filters: str | None = None,
    auto: bool | Goal | None = None,
    chunklen: int | None = None,
    expectedlen: int | None = None,
    overwrite: bool = False,
    threads: int | None = 1,
    limits: Mapping[str, int] | None = None,
) -> Table:
    """Create a table without rows, and open it with mode ``"r+"``.

    Parameters
    ----------
    path : path
        The directory, which must not exist unless `overwrite` is true; it is then replaced as a whole.
    dtype : dtype
        A field for each column. Fields with a shape are columns with axes within a row.
    codec, clevel : optional
        LZ4 and 5 by default.
    filters : {"shuffle", "bitshuffle", "none"}, optional
        ``"shuffle"`` by default.
    auto : bool or str, optional
        Choose what is not given for each chunk that is appended through the returned table, as in
        :func:`blpk.compress`.
    chunklen : int, optional
        Rows of a chunk.
    expectedlen : int, optional
        Expected number of rows, from which bcolz's rule derives the rows of a chunk.

    Examples
    --------
    >>> import tempfile
    >>> table = create(tempfile.mkdtemp() + "/t", [("x", "i4"), ("xyz", "f4", 3)], codec="zstd")
    >>> table.dtype
    dtype([('x', '<i4'), ('xyz', '<f4', (3,))])
    """
    from ._table import Table

    _core.create_table(
        os.fspath(path),
        fields_of(dtype),
        overwrite=overwrite,
        chunklen=chunklen,
        expectedlen=expectedlen,
        codec=codec,
        clevel=clevel,
        filters=filters,
        auto=auto,
    )
    return Table(path, "r+", threads=threads, limits=limits, auto=auto)
