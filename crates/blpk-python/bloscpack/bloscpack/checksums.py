"""Checksums of chunks and metadata. The number of a checksum in a header is its position in ``CHECKSUMS``."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

from .exceptions import NoSuchChecksum


class Hash:
    """A checksum: its name, the size of its digest in bytes, and the function that computes the digest."""

    def __init__(self, name: str, size: int, function: Callable[[Any], bytes]) -> None:
        self.name = name
        self.size = size
        self._function = function

    def __call__(self, data: Any) -> bytes:
        """Return the digest of `data`, as it is stored."""
        return self._function(data)

    def __repr__(self) -> str:
        return f"<checksum {self.name}, {self.size} bytes>"


def zlib_hash(func: Callable[[Any], int]) -> tuple[int, Callable[[Any], bytes]]:
    """Return size and function of a checksum that is a number of 32 bits."""
    return 4, lambda data: func(data).to_bytes(4, "little")


def hashlib_hash(func: Callable[..., Any]) -> tuple[int, Callable[[Any], bytes]]:
    """Return size and function of a checksum of :mod:`hashlib`."""
    size: int = func().digest_size
    return size, lambda data: bytes(func(data).digest())


def _hashlib(name: str) -> Callable[..., Any]:
    # Digests find damage here. Systems that forbid MD5 for security allow it for that.
    return lambda data=b"": hashlib.new(name, data, usedforsecurity=False)


CHECKSUMS = [
    Hash("None", 0, lambda data: b""),
    Hash("adler32", *zlib_hash(zlib.adler32)),
    Hash("crc32", *zlib_hash(zlib.crc32)),
    *(Hash(name, *hashlib_hash(_hashlib(name))) for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")),
]
CHECKSUMS_AVAIL = [checksum.name for checksum in CHECKSUMS]
CHECKSUMS_LOOKUP = dict(zip(CHECKSUMS_AVAIL, CHECKSUMS))


def check_valid_checksum(checksum: str) -> None:
    """Check the name of a checksum.

    Raises
    ------
    NoSuchChecksum
        If no checksum has this name.
    """
    if checksum not in CHECKSUMS_AVAIL:
        raise NoSuchChecksum(f"checksum '{checksum}' does not exist, expected one of {', '.join(CHECKSUMS_AVAIL)}")
