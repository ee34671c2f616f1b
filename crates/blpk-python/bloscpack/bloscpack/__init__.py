"""Pack data into bloscpack files and unpack it, with the names of the package bloscpack 0.16.0.

The chunks are compressed by :mod:`blpk`.

Examples
--------
>>> import bloscpack as bp
>>> packed = bp.pack_bytes_to_bytes(b"abc" * 1000, metadata={"unit": "m"})
>>> data, metadata = bp.unpack_bytes_from_bytes(packed)
>>> len(data), metadata
(3000, {'unit': 'm'})
"""

from .args import BloscArgs, BloscpackArgs, MetadataArgs
from .file_io import (
    pack_bytes_file,
    pack_bytes_to_bytes,
    pack_bytes_to_file,
    pack_file,
    pack_file_to_file,
    unpack_bytes_file,
    unpack_bytes_from_bytes,
    unpack_bytes_from_file,
    unpack_file,
    unpack_file_from_file,
)
from .file_object import BloscpackFile
from .numpy_io import (
    pack_ndarray_file,
    pack_ndarray_str,
    pack_ndarray_to_bytes,
    pack_ndarray_to_file,
    unpack_ndarray_file,
    unpack_ndarray_from_bytes,
    unpack_ndarray_from_file,
    unpack_ndarray_str,
)
from .version import __version__

__all__ = [
    "BloscArgs",
    "BloscpackArgs",
    "BloscpackFile",
    "MetadataArgs",
    "__version__",
    "pack_bytes_file",
    "pack_bytes_to_bytes",
    "pack_bytes_to_file",
    "pack_file",
    "pack_file_to_file",
    "pack_ndarray_file",
    "pack_ndarray_str",
    "pack_ndarray_to_bytes",
    "pack_ndarray_to_file",
    "unpack_bytes_file",
    "unpack_bytes_from_bytes",
    "unpack_bytes_from_file",
    "unpack_file",
    "unpack_file_from_file",
    "unpack_ndarray_file",
    "unpack_ndarray_from_bytes",
    "unpack_ndarray_from_file",
    "unpack_ndarray_str",
]
