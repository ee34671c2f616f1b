"""NumPy arrays packed by bloscpack, read by blpk.

Data types × shapes × orders: the data, ranges of items and of bytes, and the description that both tools print.
"""

import itertools
import os
import random

import bloscpack
import numpy

from _common import CODECS, Tally, blpk, in_parallel, read, sampled, work_folder
from _reference import reference

DTYPES = [
    "u1", "<i2", ">i4", "<i8", "<f2", "<f4", ">f8", "<c8", "?", "S5", "<U3", "V7", "<M8[ns]", "<m8[D]",
    [("a", "<i4"), ("b", "<f8")],
    [("name", "S4"), ("at", [("x", "<f4"), ("y", "<f4")]), ("m", "<f8", (2, 3))],
    [("größe", "<i4")],
]  # fmt: skip
SHAPES = [(), (1,), (0,), (1000,), (30, 40), (3, 0), (1, 50), (7, 11, 13)]


def array(dtype, shape, order, seed):
    """Returns an array of random bytes that are valid values of `dtype`."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    rng = numpy.random.default_rng(seed)
    limit = (
        2 if dtype == bool else 128
    )  # below 128 in every byte: ASCII, finite floats, valid code points where cut below
    data = rng.integers(0, limit, count * dtype.itemsize, "u1")
    if dtype.kind == "U":
        data.reshape(-1, 4)[:, 1:] = 0
    return numpy.asarray(data.view(dtype).reshape(shape), order=order)


def ours(job):
    """Returns all runs of blpk on one file."""
    path, packed, ranges = job
    runs = [blpk("d", "-e", path, path + ".out"), blpk("info", path), blpk("verify", path)]
    return runs, read(path + ".out"), [blpk("cat", path, *options) for options, _ in ranges]


def ranges(packed, rng):
    """Returns options of `cat` with the bytes they select. Items count in C order, bytes as stored."""
    itemsize, count = packed.dtype.itemsize, packed.size
    items = numpy.ascontiguousarray(packed).reshape(packed.shape).tobytes("C")
    stored = packed.tobytes("A")
    wanted = []
    for _ in range(3):
        start, stop = sorted(rng.randrange(count + 1) for _ in range(2))
        wanted.append((["--items", f"{start}..{stop}"], items[start * itemsize : stop * itemsize]))
        start, stop = sorted(rng.randrange(len(stored) + 1) for _ in range(2))
        wanted.append((["--bytes", f"{start}..{stop}"], stored[start:stop]))
    return wanted


def main():
    tally = Tally()
    with work_folder() as folder:
        work = []
        for number, (dtype, shape, order) in sampled(itertools.product(DTYPES, SHAPES, "CF")):
            rng = random.Random(number)
            packed = array(dtype, shape, order, number)
            path = os.path.join(folder, f"{number}.blp")
            # A chunk must hold whole items, or the reference refuses.
            chunk_size = rng.choice([packed.dtype.itemsize * 64, "1M"])
            chunk_size = "1M" if packed.nbytes <= packed.dtype.itemsize * 64 else chunk_size
            arguments = bloscpack.BloscArgs(clevel=5, shuffle=rng.choice([0, 1, 2]), cname=rng.choice(CODECS))
            bloscpack.pack_ndarray_to_file(packed, path, chunk_size=chunk_size, blosc_args=arguments)
            what = f"#{number} {dtype} {shape} {order}"
            tally.check(
                bloscpack.unpack_ndarray_from_file(path).tobytes() == packed.tobytes(),
                f"the reference reads its {what}",
            )
            work.append(((path, packed, ranges(packed, rng)), what))

        for ((path, packed, wanted), what), (runs, plain, cats) in zip(work, in_parallel(lambda w: ours(w[0]), work)):
            decompress, info, verify = runs
            for run in runs:
                tally.check(run.ok, what, run)
            tally.check(plain == packed.tobytes("A"), f"decompress {what}", decompress)
            described = reference("info", path)
            tally.check(info.stdout == described.stdout, f"info {what}", f"{info.stdout!r} theirs {described.stdout!r}")
            for (options, expected), cat in zip(wanted, cats):
                tally.check(cat.ok and cat.stdout == expected, f"cat {' '.join(options)} {what}", cat)
    tally.finish()


if __name__ == "__main__":
    main()
