"""Blosc chunks, bloscpack files, Blosc2 frames and bcolz directories, without C.

>>> import blpk
>>> chunk = blpk.compress(bytes(1000))
>>> blpk.decompress(chunk) == bytes(1000)
True
"""

from ._array import Array
from ._chunks import ChunkInfo, chunk_info, compress, decompress, getitem
from ._errors import (
    DamagedError,
    Error,
    LimitError,
    LockedError,
    NotFoundError,
    TruncatedError,
    UnsupportedError,
)
from ._file import File
from ._open import create, open, save
from ._reference import reference
from ._table import Table
from ._table_create import create as create_table
from ._writer import Writer
from .dask import to_dask, to_dask_dataframe

__all__ = [
    "Array",
    "ChunkInfo",
    "DamagedError",
    "Error",
    "File",
    "LimitError",
    "LockedError",
    "NotFoundError",
    "Table",
    "TruncatedError",
    "UnsupportedError",
    "Writer",
    "chunk_info",
    "compress",
    "create",
    "create_table",
    "decompress",
    "getitem",
    "open",
    "reference",
    "save",
    "to_dask",
    "to_dask_dataframe",
]
