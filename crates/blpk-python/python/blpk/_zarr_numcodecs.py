"""The codec ``b2nd`` of numcodecs in metadata of Zarr 3, under the name ``numcodecs.b2nd``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zarr.abc.codec import BytesBytesCodec
from zarr.core.common import parse_named_configuration

from ._numcodecs_b2nd import B2nd
from ._zarr_b2nd import limits

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer
    from zarr.core.common import JSON

NAME = "numcodecs.b2nd"


@dataclass(frozen=True)
class NumcodecsB2nd(BytesBytesCodec):
    """Codec from bytes to bytes after Zarr's codec ``bytes``, with the parameters of :class:`blpk.numcodecs.B2nd`.

    VirtualiZarr names codecs of numcodecs so when it reads references. New arrays of format 3 use
    :class:`blpk.zarr.B2ndCodec`, of which a slice decodes only the blocks that it touches.
    """

    is_fixed_size = False

    b2nd: B2nd

    @classmethod
    def from_dict(cls, data: dict[str, JSON]) -> NumcodecsB2nd:
        """Create a codec from Zarr's metadata."""
        _, configuration = parse_named_configuration(data, NAME)
        return cls(B2nd(**configuration))  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, JSON]:
        """Return the codec as Zarr's metadata has it."""
        return {"name": NAME, "configuration": _configuration(self.b2nd)}

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> Buffer:
        b2nd = B2nd(**_configuration(self.b2nd), limits=limits())
        items = await asyncio.to_thread(b2nd.decode, chunk_data.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(items)

    async def _encode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> Buffer | None:
        chunk = await asyncio.to_thread(self.b2nd.encode, chunk_data.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(chunk)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """Raise ``NotImplementedError``: the size of a chunk depends on its items."""
        raise NotImplementedError


def _configuration(b2nd: B2nd) -> dict[str, Any]:
    """Return the parameters of a codec."""
    configuration = dict(b2nd.get_config())
    del configuration["id"]
    return configuration
