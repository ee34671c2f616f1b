"""Codecs of Zarr 3: ``blosc`` without C, and ``blpk.b2nd``.

:class:`B2ndCodec` is the codec of the chunks of Blosc2 n-dimensional arrays. Zarr finds it when blpk is installed.

:class:`BloscCodec` takes the place of ``zarr.codecs.BloscCodec``: the same configuration, the same chunks. Call
:func:`register` to make Zarr use it for all arrays that it opens. Without Python code, the setting
``ZARR_CODECS__BLOSC=blpk.zarr.BloscCodec`` in the environment does the same, for example in Dask's workers. Installing
blpk changes nothing by itself.

Zarr makes codecs from the metadata of arrays, so limits for hostile input are a setting of Zarr, ``blpk.limits``: a
mapping as for :func:`blpk.decompress`. It applies to the chunks that these codecs decode, and to ``numcodecs.b2nd``.

Arrays of Zarr format 2 take their codecs from numcodecs: see :mod:`blpk.numcodecs`.

>>> import blpk.zarr, numpy as np, zarr
>>> blpk.zarr.register()
>>> array = zarr.create_array({}, data=np.arange(1000), compressors=blpk.zarr.BloscCodec(cname="lz4"))
>>> int(array[7])
7
>>> with zarr.config.set({"blpk.limits": {"max_nbytes": 1000}}):
...     array[7]
Traceback (most recent call last):
    ...
blpk._errors.LimitError: ...
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

import zarr
from zarr.codecs import BloscCodec as _BloscCodec
from zarr.registry import register_codec

from ._zarr_b2nd import NAME as _B2ND
from ._zarr_b2nd import B2ndCodec, limits
from .numcodecs import BITSHUFFLE, NOSHUFFLE, SHUFFLE, Blosc, decompress

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer

__all__ = ["B2ndCodec", "BloscCodec", "register"]

_SHUFFLES = {"noshuffle": NOSHUFFLE, "shuffle": SHUFFLE, "bitshuffle": BITSHUFFLE}


class BloscCodec(_BloscCodec):
    """Bytes-to-bytes codec ``blosc``.

    Parameters are those of ``zarr.codecs.BloscCodec``, of which this is a subclass: `typesize`, `cname`, `clevel`,
    `shuffle` and `blocksize`. Each chunk is one call on one thread: Zarr calls on several threads at once.

    Zarr's interface has no partial decoding for codecs from bytes to bytes, so each chunk is decoded as a whole.

    Raises
    ------
    blpk.numcodecs.ChunkError
        If a chunk is damaged. It is a ``ValueError`` and a ``RuntimeError``.
    blpk.LimitError
        If a chunk needs more than the setting ``blpk.limits`` of Zarr allows.
    """

    @cached_property
    def _codec(self) -> Blosc:
        shuffle = _SHUFFLES[self.shuffle.value]
        return Blosc(self.cname.value, self.clevel, shuffle, self.blocksize, self.typesize)

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
        plain = decompress(chunk_bytes.as_numpy_array(), limits=limits())
        return chunk_spec.prototype.buffer.from_bytes(plain)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._decode_sync, chunk_bytes, chunk_spec)

    def _encode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer | None:
        chunk = self._codec.encode(chunk_bytes.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(chunk)

    async def _encode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer | None:
        return await asyncio.to_thread(self._encode_sync, chunk_bytes, chunk_spec)


def register() -> None:
    """Make :class:`BloscCodec` the codec ``blosc`` of Zarr in this process, instead of Zarr's own.

    :class:`B2ndCodec` becomes the codec ``blpk.b2nd``, as it does without this call if blpk is installed.
    """
    register_codec("blosc", BloscCodec)
    zarr.config.set({"codecs.blosc": f"{BloscCodec.__module__}.{BloscCodec.__qualname__}"})
    register_codec(_B2ND, B2ndCodec)
