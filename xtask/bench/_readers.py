"""Checks the outputs of the race of automatic choice, also with the reference libraries."""

import sys
from pathlib import Path

import blosc2
import bloscpack


def check(entrant, plain, packed, again):
    """Ends the race if the output of an entrant does not hold the bytes of the file `plain`."""
    expected = Path(plain).read_bytes()
    if Path(again).read_bytes() != expected:
        sys.exit(f"{entrant.name}: wrong bytes")
    if entrant.name.startswith("auto"):
        read = read_frame if entrant.ending == ".b2frame" else read_bloscpack
        if read(packed) != expected:
            sys.exit(f"{entrant.name}: the reference library reads wrong bytes")


def read_bloscpack(path):
    data, _ = bloscpack.unpack_bytes_from_file(path)
    return data


def read_frame(path):
    """Returns the bytes of all chunks of a frame."""
    chunks = blosc2.open(path, mode="r")
    return b"".join(chunks.decompress_chunk(number) for number in range(chunks.nchunks))
