"""Fields of headers: ranges, options, integers, padded bytes."""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterable
from typing import Any

from .defaults import DEFAULT_OFFSETS


def check_range(name: str, value: Any, min_: int, max_: int) -> None:
    """Check that an integer is in a range, both ends included.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is out of range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"'{name}' must be of type 'int', not '{type(value).__name__}'") from None
    if not min_ <= number <= max_:
        raise ValueError(f"'{name}' must be in the range {min_} <= n <= {max_}, not '{value}'")


def _check_bytes(name: str, value: Any, max_len: int) -> None:
    if not isinstance(value, bytes):
        raise TypeError(f"'{name}' must be of type 'bytes', not '{type(value).__name__}'")
    if len(value) > max_len:
        raise ValueError(f"'{name}' has {len(value)} bytes, expected at most {max_len}")


def check_options(options: Any) -> None:
    """Check that options are a string of eight binary digits.

    Raises
    ------
    TypeError
        If they are no string.
    ValueError
        If they are another string.
    """
    if not isinstance(options, str):
        raise TypeError(f"'options' must be of type 'str', not '{type(options).__name__}'")
    if len(options) != 8 or not set(options) <= {"0", "1"}:
        raise ValueError(f"'options' must be 8 binary digits, not '{options}'")


def check_options_zero(options: str, indices: Iterable[int]) -> None:
    """Check that the digits at `indices` are zero.

    Raises
    ------
    ValueError
        If one is not.
    """
    for index in indices:
        if options[index] != "0":
            raise ValueError(f"element {index} of the options '{options}' is reserved and must be 0")


def create_options(offsets: bool = DEFAULT_OFFSETS, metadata: bool = False) -> str:
    """Return the options of a file.

    Examples
    --------
    >>> create_options(offsets=True, metadata=True)
    '00000011'
    """
    return f"{bool(metadata):07b}{bool(offsets):b}"


def decode_options(options: str) -> dict[str, bool]:
    """Return the sections that the options of a file name.

    Examples
    --------
    >>> decode_options("00000001")
    {'offsets': True, 'metadata': False}
    """
    check_options(options)
    check_options_zero(options, range(6))
    return {"offsets": options[7] == "1", "metadata": options[6] == "1"}


def create_metadata_options() -> str:
    """Return the options of metadata, which has none."""
    return "0" * 8


def decode_metadata_options(options: str) -> dict[str, bool]:
    """Check the options of metadata, which has none."""
    check_options(options)
    check_options_zero(options, range(8))
    return {}


def decode_uint8(byte: int | bytes) -> int:
    """Return an unsigned integer of one byte."""
    return byte if isinstance(byte, int) else byte[0]


def decode_uint32(fourbyte: bytes) -> int:
    """Return an unsigned integer of four bytes."""
    return int.from_bytes(fourbyte, "little")


def decode_int32(fourbyte: bytes) -> int:
    """Return a signed integer of four bytes."""
    return int.from_bytes(fourbyte, "little", signed=True)


def decode_int64(eightbyte: bytes) -> int:
    """Return a signed integer of eight bytes."""
    return int.from_bytes(eightbyte, "little", signed=True)


def decode_bitfield(byte: int | bytes) -> str:
    """Return the binary digits of a byte."""
    return f"{decode_uint8(byte):08b}"


def decode_magic_string(str_: bytes) -> bytes:
    """Return a field of bytes without its padding."""
    return bytes(str_).strip(b"\0")


def encode_uint8(byte: int) -> bytes:
    """Return an unsigned integer as one byte."""
    return struct.pack("<B", byte)


def encode_uint32(byte: int) -> bytes:
    """Return an unsigned integer as four bytes."""
    return struct.pack("<I", byte)


def encode_int32(fourbyte: int) -> bytes:
    """Return a signed integer as four bytes."""
    return struct.pack("<i", fourbyte)


def encode_int64(eightbyte: int) -> bytes:
    """Return a signed integer as eight bytes."""
    return struct.pack("<q", eightbyte)
