"""What random operations of python-blosc2 have in common: their state, random data and parameters, and their results."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from pathlib import Path

import blosc2
import numpy

DTYPES = ["u1", "<i2", "<i4", "<f4", "<f8", "S5", "c8"]
CODECS = [blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]
FILTERS = [[], [blosc2.Filter.SHUFFLE], [blosc2.Filter.BITSHUFFLE]]
DELTA = [blosc2.Filter.DELTA, blosc2.Filter.SHUFFLE]
#: The most super-chunks and arrays that are kept.
KEPT = 12


def digest(value: object) -> str:
    """Return a short text for a value."""
    if isinstance(value, numpy.ndarray):
        return f"{value.shape} {value.dtype.str} {digest(value.tobytes())}"
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes {hashlib.sha256(value).hexdigest()[:16]}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(digest, value)) + "]"
    return repr(value)


class State:
    """The state of a run: super-chunks and arrays, in memory and in a folder."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.folder = folder
        self.schunks: list[blosc2.SChunk] = []
        self.arrays: list[blosc2.NDArray] = []
        self.names = 0
        #: Files with chunks of different sizes. C-Blosc2 writes a size into their headers that the chunks do not have.
        self.irregular: set[Path] = set()

    def data(self, dtype: str, count: int) -> numpy.ndarray:
        """Return items: repeated, rising, or without a pattern."""
        size = numpy.dtype(dtype).itemsize
        kinds = [lambda n: b"\x07" * n, lambda n: bytes(i // size * 3 % 251 for i in range(n)), self.random.randbytes]
        plain = self.random.choice(kinds)(count * size)
        # Without values that are not numbers, which compare unequal.
        if dtype in ("<f4", "<f8", "c8"):
            plain = (numpy.frombuffer(plain, "u1")[: count * size] % 100).astype("<f8")[:count].astype(dtype).tobytes()
        return numpy.frombuffer(plain, dtype, count)

    def cparams(self, dtype: str, filters: list[list[blosc2.Filter]]) -> dict:
        """Return random parameters of compression."""
        chosen = self.random.choice(filters)
        return {
            "codec": self.random.choice(CODECS),
            "clevel": self.random.randrange(10),
            "typesize": numpy.dtype(dtype).itemsize,
            "filters": chosen,
            "filters_meta": [0] * len(chosen),
            "nthreads": self.random.choice([1, 1, 2]),
        }

    def place(self, suffix: str) -> dict:
        """Return arguments for an object in memory or on disk."""
        self.names += 1
        path = str(self.folder / f"{self.names}.{suffix}")
        return self.random.choice([{}, {"contiguous": True}, {"urlpath": path}, {"urlpath": path, "contiguous": False}])

    def keep(self, kept: list, made: object) -> None:
        """Keep an object, and forget one if there are many."""
        kept.append(made)
        if len(kept) > KEPT:
            kept.pop(self.random.randrange(KEPT))

    def one(self, kept: list, make: Callable[[], object]) -> object:
        """Return one of the kept objects, made if there is none."""
        if not kept:
            make()
        return self.random.choice(kept)

    def tried(self, *reads: Callable[[], object]) -> list:
        """Return the results, or the names of exceptions."""
        return [self.result(read) for read in reads]

    def result(self, operation: Callable[[], object]) -> str:
        """Return the result of an operation, or the name of its exception."""
        try:
            return digest(operation())
        except Exception as error:  # noqa: BLE001
            return type(error).__name__
