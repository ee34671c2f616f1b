"""A user's program, for the type checker only."""

from __future__ import annotations

import numpy as np

import blpk


def program() -> None:
    """Use the package as a user does."""
    chunk: bytes = blpk.compress(np.arange(10), codec="zstd", filters=["shuffle"], auto="fast")
    plain: bytes = blpk.decompress(chunk)
    into: bytearray = blpk.decompress(chunk, out=bytearray(80))
    nbytes: int = blpk.chunk_info(chunk).nbytes
    blpk.save("a.b2nd", np.zeros((3, 4)), chunks=(1, 4))
    array = blpk.open("a.b2nd", "r+")
    if isinstance(array, blpk.Array):
        shape: tuple[int, ...] = array.shape
        array[0, ::2] = 1.0
        array.append(np.ones((1, 4)))
        array.attrs["unit"] = "m"
        total = float(np.asarray(array).sum())
    elif isinstance(array, blpk.File):
        content: bytes = array.read()
    with blpk.open("log.blp", "w") as writer:
        writer.write(b"one line")
    blpk.open("new.b2nd", "w", shape=3, dtype="f4")[0] = 1
    try:
        blpk.decompress(b"", limits={"max_nbytes": 10})
    except blpk.LimitError as error:
        print(error.limit, error.allowed)
    except (blpk.DamagedError, ValueError):
        pass
