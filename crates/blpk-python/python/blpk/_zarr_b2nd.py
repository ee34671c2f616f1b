"""The codec ``blpk.b2nd`` of Zarr 3: chunks of Blosc2 n-dimensional arrays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.core.common import parse_named_configuration

from . import _core

if TYPE_CHECKING:
    from zarr.abc.store import ByteGetter
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer
    from zarr.core.common import JSON

#: The name in Zarr's metadata. Zarr has no codec of this kind, so the name has a prefix.
NAME = "blpk.b2nd"


def limits() -> dict[str, int] | None:
    """Return the limits for decoding that Zarr's configuration has."""
    found: dict[str, int] | None = zarr.config.get("blpk.limits", None)
    return found


@dataclass(frozen=True)
class B2ndCodec(ArrayBytesCodecPartialDecodeMixin, ArrayBytesCodec):
    """Array-to-bytes codec of the chunks of Blosc2 n-dimensional arrays (b2nd).

    The shape of a chunk and the size of an item are those of the array. C-Blosc2 reads and writes the same chunks, so
    references to the chunks of a ``.b2nd`` file are a Zarr array with this codec as its only one. A slice decodes only
    the blocks that it touches.

    Parameters
    ----------
    blocks : iterable of int
        Shape of a block.
    codec : str
        For encoding: ``"blosclz"``, ``"lz4"``, ``"lz4hc"``, ``"zlib"`` or ``"zstd"``.
    clevel : int
        For encoding: compression level, 0 to 9.
    filters : iterable of str
        For encoding: up to six filters, as in :func:`blpk.compress`.
    endian : {"little", "big"}
        Byte order of the items.
    """

    is_fixed_size = False

    blocks: tuple[int, ...]
    codec: str = "zstd"
    clevel: int = 5
    filters: tuple[str, ...] = ("shuffle",)
    endian: str = "little"

    def __init__(
        self,
        *,
        blocks: Iterable[int],
        codec: str = "zstd",
        clevel: int = 5,
        filters: Iterable[str] = ("shuffle",),
        endian: str = "little",
    ) -> None:
        if endian not in ("little", "big"):
            raise ValueError(f"endian is {endian!r}, expected 'little' or 'big'")
        object.__setattr__(self, "blocks", tuple(map(int, blocks)))
        object.__setattr__(self, "codec", codec)
        object.__setattr__(self, "clevel", clevel)
        object.__setattr__(self, "filters", (filters,) if isinstance(filters, str) else tuple(filters))
        object.__setattr__(self, "endian", endian)
        # Wrong settings are an error now, not when the first chunk is written.
        _core.compress(b"", **self._settings())

    def _settings(self) -> dict[str, Any]:
        return {"format": "blosc2", "codec": self.codec, "clevel": self.clevel, "filters": self.filters or ("none",)}

    @classmethod
    def from_dict(cls, data: dict[str, JSON]) -> B2ndCodec:
        """Create a codec from Zarr's metadata."""
        _, configuration = parse_named_configuration(data, NAME)
        return cls(**configuration)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, JSON]:
        """Return the codec as Zarr's metadata has it."""
        configuration: dict[str, JSON] = {
            "blocks": list(self.blocks),
            "codec": self.codec,
            "clevel": self.clevel,
            "filters": list(self.filters),
            "endian": self.endian,
        }
        return {"name": NAME, "configuration": configuration}

    def _dtype(self, spec: ArraySpec) -> np.dtype[Any]:
        dtype = np.dtype(spec.dtype.to_native_dtype())
        if dtype.hasobject:
            raise TypeError(f"codec {NAME} has no items of variable length, such as {spec.dtype}")
        return dtype.newbyteorder("<" if self.endian == "little" else ">")

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        items = np.empty(chunk_spec.shape, self._dtype(chunk_spec))
        chunk = chunk_bytes.as_numpy_array()
        _core.decode_ndchunk(chunk, chunk_spec.shape, self.blocks, items.itemsize, items, limits=limits())
        return chunk_spec.prototype.nd_buffer.from_numpy_array(items)

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    def _decode_part(self, chunk: Buffer, selection: Any, spec: ArraySpec) -> NDBuffer:
        """Return the selected items. The box around them is decoded."""
        axes = selection if isinstance(selection, tuple) else (selection,)
        boxes = [_Axis(*pair) for pair in zip(axes, spec.shape, strict=False)]
        boxes += [_Axis(slice(None), length) for length in spec.shape[len(axes) :]]
        box = [axis.start for axis in boxes], [axis.stop for axis in boxes]
        items = np.empty([axis.stop - axis.start for axis in boxes], self._dtype(spec))
        if items.size:
            stored, blocks = chunk.as_numpy_array(), self.blocks
            _core.decode_ndchunk(stored, spec.shape, blocks, items.itemsize, items, box=box, limits=limits())
        selected = items[tuple(axis.within for axis in boxes)]
        return spec.prototype.nd_buffer.from_numpy_array(np.asarray(selected))

    async def _decode_partial_single(
        self, byte_getter: ByteGetter, selection: Any, chunk_spec: ArraySpec
    ) -> NDBuffer | None:
        chunk = await byte_getter.get(prototype=chunk_spec.prototype)
        if chunk is None:
            return None
        return await asyncio.to_thread(self._decode_part, chunk, selection, chunk_spec)

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        items = np.ascontiguousarray(chunk_array.as_numpy_array(), self._dtype(chunk_spec))
        shapes = chunk_spec.shape, self.blocks
        chunk = _core.encode_ndchunk(items, *shapes, items.itemsize, **self._settings())
        return chunk_spec.prototype.buffer.from_bytes(chunk)

    async def _encode_single(self, chunk_data: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """Raise ``NotImplementedError``: the size of a chunk depends on its items."""
        raise NotImplementedError


class _Axis:
    """What a selection takes of an axis: the range from `start` to `stop`, and of that range the items `within`."""

    def __init__(self, selector: Any, length: int) -> None:
        self.within: Any
        if isinstance(selector, slice):
            items = range(length)[selector]
            first, last = (min(items), max(items)) if items else (0, -1)
            step = items.step if items else 1
            self.within = slice(None, None, step)
        elif isinstance(selector, (int, np.integer)):
            first = last = int(selector)
            self.within = 0
        else:
            chosen = np.asarray(selector)
            if chosen.dtype == bool:
                chosen = np.flatnonzero(chosen)
            first, last = (int(chosen.min()), int(chosen.max())) if chosen.size else (0, -1)
            self.within = chosen - first
        self.start, self.stop = first, last + 1
