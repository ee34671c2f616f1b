"""Blosc chunks, bloscpack files, Blosc2 frames and bcolz directories, without C.

:func:`open` opens a container of any format: an :class:`Array`, a :class:`Table`, or the plain bytes of a
:class:`File`. :func:`save` writes an array, :func:`create` an array of one value, :func:`create_table` a table, and
``open(path, "w")`` plain bytes. :func:`compress`, :func:`decompress`, :func:`getitem` and :func:`chunk_info` are for
single chunks. :func:`to_dask`, :func:`to_dask_dataframe` and :func:`reference` hand data in files to Dask and Zarr.
Codecs are in :mod:`blpk.numcodecs` and :mod:`blpk.zarr`.

>>> import blpk, numpy, tempfile
>>> path = tempfile.mkdtemp() + "/numbers.b2nd"
>>> blpk.save(path, numpy.arange(1_000_000).reshape(1000, 1000))
>>> array = blpk.open(path)
>>> array[500:502, :3]
array([[500000, 500001, 500002],
       [501000, 501001, 501002]])

>>> chunk = blpk.compress(bytes(1000))
>>> blpk.decompress(chunk) == bytes(1000)
True
"""

from ._array import Array
from ._chunks import ChunkInfo, chunk_info, compress, decompress, getitem
from ._core import __version__
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
    "__version__",
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
