"""The codec ``b2nd`` of numcodecs: chunks of Blosc2 n-dimensional arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numcodecs.abc import Codec  # type: ignore[import-untyped]

from . import _core

if TYPE_CHECKING:
    from ._types import Buffer


class B2nd(Codec):  # type: ignore[misc]
    """Codec of the chunks of Blosc2 n-dimensional arrays (b2nd).

    The plain bytes of such a chunk are n-dimensional blocks one after another. The codec arranges them as the items of
    the chunk in C order, and back. C-Blosc2 reads and writes the same chunks. With this codec, references to the chunks
    of a ``.b2nd`` file are a Zarr array of format 2, with the codec as its only compressor and in order ``"C"``. Do not use
    it with order ``"F"``: Zarr would read the items transposed.

    Parameters
    ----------
    chunks : sequence of int
        Shape of a chunk.
    blocks : sequence of int
        Shape of a block.
    itemsize : int
        Size of an item in bytes.
    codec : str
        For encoding: ``"blosclz"``, ``"lz4"``, ``"lz4hc"``, ``"zlib"`` or ``"zstd"``.
    clevel : int
        For encoding: compression level, 0 to 9.
    filters : sequence of str
        For encoding: up to six filters, as in :func:`blpk.compress`.
    limits : mapping, optional
        For decoding, as in :func:`blpk.decompress`. Not part of the configuration.

    Examples
    --------
    >>> codec = B2nd(chunks=[4, 6], blocks=[2, 4], itemsize=1)
    >>> chunk = codec.encode(bytes(range(24)))
    >>> codec.decode(chunk) == bytes(range(24))
    True
    >>> list(codec.decode_box(chunk, [1, 2], [3, 4]))
    [8, 9, 14, 15]
    """

    codec_id = "b2nd"

    def __init__(
        self,
        chunks: Sequence[int],
        blocks: Sequence[int],
        itemsize: int,
        codec: str = "zstd",
        clevel: int = 5,
        filters: Sequence[str] = ("shuffle",),
        *,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self.chunks = list(map(int, chunks))
        self.blocks = list(map(int, blocks))
        self.itemsize = int(itemsize)
        self.codec = codec
        self.clevel = clevel
        self.filters = [filters] if isinstance(filters, str) else list(filters)
        self._limits = None if limits is None else dict(limits)
        # Wrong settings are an error now, not when the first chunk is written.
        _core.compress(b"", **self._settings())

    def _settings(self) -> dict[str, Any]:
        return {"format": "blosc2", "codec": self.codec, "clevel": self.clevel, "filters": self.filters or ["none"]}

    def encode(self, buf: Buffer) -> bytes:
        """Compress the items of a chunk, in C order."""
        return _core.encode_ndchunk(buf, self.chunks, self.blocks, self.itemsize, **self._settings())

    def decode(self, buf: Buffer, out: Any = None) -> Any:
        """Decompress a chunk to its items in C order, to bytes or into the writable buffer `out`, which is returned.

        Raises
        ------
        blpk.DamagedError
            If the chunk is damaged, or not of these shapes.
        """
        return _filled(out, lambda out: self._decode(buf, out, None))

    def decode_box(self, buf: Buffer, start: Sequence[int], stop: Sequence[int], out: Any = None) -> Any:
        """Decompress the items from `start` to `stop` on each axis. Only the blocks that hold them are decoded."""
        box = list(start), list(stop)
        return _filled(out, lambda out: self._decode(buf, out, box))

    def _decode(self, buf: Buffer, out: Any, box: tuple[Sequence[int], Sequence[int]] | None) -> Any:
        shapes = self.chunks, self.blocks, self.itemsize
        return _core.decode_ndchunk(buf, *shapes, out, box=box, limits=self._limits)


def _filled(out: Any, decode: Callable[[Any], Any]) -> Any:
    """Return what `decode` writes to `out`. Of an array in Fortran order, the items are written, not the memory."""
    import numpy as np

    if not isinstance(out, np.ndarray) or not out.flags.fnc:
        return decode(out)
    items = np.empty(out.shape, out.dtype)
    decode(items)
    out[...] = items
    return out
