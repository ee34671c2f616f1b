"""Races the codec of blpk.numcodecs against numcodecs' own, on the same data, codec, level and threads.

Runs in an environment with blpk, numcodecs and NumPy. Writes docs/bench/numcodecs.tsv and prints the cells in which
numcodecs is faster. A ratio is the time of numcodecs over that of blpk: more than 1 means that blpk is faster.

Both sides run in turns of a few milliseconds, and a ratio is the median over the turns, so other load on the machine
affects both alike. Both write to the same memory in turn, since the pages of two memories differ by up to a tenth. Each
cell below 1 is raced again with five times the turns, because other load decides a few turns. The second race replaces
the first, also if numcodecs wins it. Both decode the chunks of numcodecs.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numcodecs
import numpy as np
from numcodecs import blosc as theirs

from blpk import numcodecs as ours

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "bench"))
from _common import machine, write_table  # noqa: E402

TABLE = ROOT / "docs" / "bench" / "numcodecs.tsv"
CODECS = ["lz4", "zstd", "blosclz", "zlib", "lz4hc"]
SIZES = [4 << 10, 64 << 10, 1 << 20]
#: Memory that is written before any is used again: more than the cache of a core.
COLD = 32 << 20
COLUMNS = ["data", "codec", "shuffle", "level", "bytes", "operation", "threads", "cpu", "wall", "cpu_us", "wall_us", "size"]
SHUFFLES = {"none": 0, "byte": 1, "bit": 2}


def data_sets() -> dict[str, np.ndarray]:
    """Return 4 MiB of each kind of data, always the same."""
    random = np.random.default_rng(23)
    n = 4 << 20
    y, x = np.mgrid[0:1024, 0:1024].astype("f4") / 100
    noise = random.normal(scale=0.01, size=x.shape)
    words = np.array(b"the of and chunk block field value of data in to with array is for number 17 2026 \n".split(b" "))
    text = b" ".join(words[random.zipf(1.4, size=n // 3) % len(words)])[:n]
    return {
        "field-f4": (np.sin(x) * np.cos(y) + noise).astype("f4").ravel(),
        "counts-i4": random.poisson(40, size=n // 4).astype("i4"),
        "decimals-f8": np.round(np.cumsum(random.normal(size=n // 8)), 2),
        "random-u1": random.integers(0, 256, size=n, dtype="u1"),
        "text-u1": np.frombuffer(text, "u1"),
    }


class Memory:
    """Memory for results, shared by both codecs: which pages it has decides a race of copies."""

    def __init__(self, nbytes: int) -> None:
        slots = max(2, COLD // nbytes) if nbytes >= 1 << 20 else 4
        self.outs: Iterator[np.ndarray] = itertools.cycle([np.ones(nbytes, "u1") for _ in range(slots)])
        self.kept: list[bytes | None] = [None] * slots
        self.slots = itertools.cycle(range(slots))


class Side:
    """One of the two codecs."""

    def __init__(self, codec: numcodecs.abc.Codec, memory: Memory) -> None:
        self.codec = codec
        self.memory = memory

    def encode(self, data: np.ndarray) -> None:
        self.memory.kept[next(self.memory.slots)] = self.codec.encode(data)

    def decode(self, chunk: bytes) -> None:
        self.memory.kept[next(self.memory.slots)] = self.codec.decode(chunk)

    def decode_into(self, chunk: bytes) -> None:
        self.codec.decode(chunk, out=next(self.memory.outs))


def turn(work: Callable[[object], None], items: Iterator[object], repeats: int, clock: Callable[[], float]) -> tuple:
    """Return CPU and wall seconds of one call."""
    cpu, wall = clock(), time.perf_counter()
    for _ in range(repeats):
        work(next(items))
    return (clock() - cpu) / repeats, (time.perf_counter() - wall) / repeats


def race(
    pair: tuple, operation: str, items: list[object], nbytes: int, turns: int, threads: int
) -> tuple[float, ...]:
    """Return the ratios of CPU and wall time, and the times of blpk in microseconds."""
    clock = time.thread_time if threads == 1 else time.process_time
    memory = Memory(nbytes)
    works = [getattr(Side(codec, memory), operation) for codec in pair]
    inputs = [itertools.cycle(items), itertools.cycle(items)]
    # The pages of new memory fault at first use, which takes longer than most calls.
    for _ in range(len(memory.kept)):
        for work, source in zip(works, inputs, strict=True):
            work(next(source))
    _, once = turn(works[1], inputs[1], 2, clock)
    repeats = max(1, min(2000, int(0.005 / once)))
    taken = []
    for index in range(turns):
        order = (0, 1) if index % 2 else (1, 0)
        times = {side: turn(works[side], inputs[side], repeats, clock) for side in order}
        taken.append((times[0][0] / times[1][0], times[0][1] / times[1][1], times[1][0] * 1e6, times[1][1] * 1e6))
    return tuple(statistics.median(column) for column in zip(*taken, strict=True))


def figures(found: tuple[float, ...]) -> list[str]:
    """Return the ratios and times of a race as text."""
    return [f"{found[0]:.2f}", f"{found[1]:.2f}", f"{found[2]:.1f}", f"{found[3]:.1f}"]


def is_slower(found: tuple[float, ...], threads: int) -> bool:
    """Return whether blpk is slower, as the table will say."""
    # One thread: CPU time, which other load affects least. More threads: the time until the result is there.
    return float(figures(found)[0 if threads == 1 else 1]) < 1


def cells(options: argparse.Namespace) -> Iterator[list[str]]:
    """Race all cells, and yield the row of each."""
    for name, data in data_sets().items():
        for nbytes in options.sizes:
            parts = np.split(data, data.nbytes // nbytes)[:64]
            for codec in options.codecs:
                settings = itertools.product(options.shuffles, options.levels, options.threads)
                for shuffle, level, threads in settings:
                    theirs.use_threads = threads > 1
                    theirs.set_nthreads(threads)
                    pair = (
                        theirs.Blosc(cname=codec, clevel=level, shuffle=SHUFFLES[shuffle]),
                        ours.Blosc(cname=codec, clevel=level, shuffle=SHUFFLES[shuffle], threads=threads),
                    )
                    chunks = [pair[0].encode(part) for part in parts]
                    sizes = [sum(map(len, chunks)), sum(len(pair[1].encode(part)) for part in parts)]
                    for operation in ("encode", "decode", "decode_into"):
                        inputs = parts if operation == "encode" else chunks
                        cell = [name, codec, shuffle, str(level), str(nbytes), operation, str(threads)]
                        found = race(pair, operation, inputs, nbytes, options.turns, threads)
                        if is_slower(found, threads):
                            print(*cell, *figures(found), "raced again", sep="\t", flush=True)
                            found = race(pair, operation, inputs, nbytes, 5 * options.turns, threads)
                        yield [*cell, *figures(found), f"{sizes[1] / sizes[0]:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--codecs", nargs="+", default=CODECS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--levels", nargs="+", type=int, default=[5, 1])
    parser.add_argument("--shuffles", nargs="+", choices=SHUFFLES, default=["byte", "bit"])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="write docs/bench/numcodecs.tsv")
    options = parser.parse_args()
    rows = list(cells(options))
    if options.write:
        about = [machine(), f"numcodecs {numcodecs.__version__}, C-Blosc {theirs.__version__}; ratios over 1: blpk is faster"]
        write_table(TABLE, about, COLUMNS, rows)
    print(*COLUMNS, sep="\t")
    slower = [row for row in rows if float(row[7 if row[6] == "1" else 8]) < 1]
    for row in slower:
        print(*row, sep="\t")
    print(f"{len(rows)} cells, {len(slower)} of them slower than numcodecs")


if __name__ == "__main__":
    main()
