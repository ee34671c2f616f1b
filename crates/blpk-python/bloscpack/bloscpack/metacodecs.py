"""Codecs of metadata. The number of a codec in a header is its position in ``CODECS``."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from .exceptions import NoSuchCodec


class MetaCodec:
    """A codec: its name and its two functions."""

    def __init__(
        self, name: str, compress: Callable[[bytes, int], bytes], decompress: Callable[[bytes], bytes]
    ) -> None:
        self.name = name
        self._compress = compress
        self._decompress = decompress

    def compress(self, data: bytes, level: int) -> bytes:
        """Return `data` compressed."""
        return self._compress(data, level)

    def decompress(self, data: bytes) -> bytes:
        """Return `data` decompressed."""
        return self._decompress(data)


CODECS = [
    MetaCodec("None", lambda data, level: data, lambda data: data),
    MetaCodec("zlib", zlib.compress, zlib.decompress),
]
CODECS_AVAIL = [codec.name for codec in CODECS]
CODECS_LOOKUP = dict(zip(CODECS_AVAIL, CODECS))


def check_valid_codec(codec: str) -> None:
    """Check the name of a codec.

    Raises
    ------
    NoSuchCodec
        If no codec has this name.
    """
    if codec not in CODECS_AVAIL:
        raise NoSuchCodec(f"codec '{codec}' does not exist, expected one of {', '.join(CODECS_AVAIL)}")
