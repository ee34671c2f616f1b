"""Blosc1 chunks exchanged between C-Blosc and blpk.

Every combination of codec, level, filter and type size, each on one size and kind of data drawn from a fixed seed. The
`blosc` and `numcodecs` packages must read blpk's chunks, blpk must read theirs, and both headers must agree on
everything but the compressed size.
"""

import itertools
import os
import random

import blosc
import numcodecs

from _common import CODECS, FILTERS, KINDS, Tally, batches, blpk, in_parallel, plain, read, sampled, work_folder, write

TYPESIZES = [1, 2, 3, 4, 7, 8, 16, 17, 32, 255]
SIZES = [0, 1, 15, 16, 127, 128, 129, 1000, 32767, 32768, 65536 + 3, 131072, 300_000]
MEMCPYED = 0x02


class Case:
    """One set of parameters and its data, reproducible from its number."""

    def __init__(self, number, codec, level, filter, typesize):
        rng = random.Random(number)
        self.number, self.codec, self.level, self.filter, self.typesize = number, codec, level, filter, typesize
        # A third of the sizes are arbitrary, to cover tails of every length, in items and in groups of eight items.
        self.nbytes = rng.choice(SIZES) if rng.random() < 2 / 3 else rng.randrange(40_000)
        self.kind = rng.choice(list(KINDS))
        self.blocksize = rng.choice([0, 0, 0, 200, 4096, 10_000, 65_536])
        # Not `always`: C-Blosc cannot read such chunks of its own if the type size or the block is too large to split.
        self.splitmode = rng.choice([None, None, None, "never", "auto", "forward"])
        self.plain = plain(self.kind, self.nbytes, typesize, number)

    def __str__(self):
        return (
            f"#{self.number} {self.codec} -l {self.level} {self.filter} -t {self.typesize} blocksize {self.blocksize} "
            f"splitmode {self.splitmode} on {self.nbytes} bytes of {self.kind}"
        )

    def options(self):
        options = ["-c", self.codec, "-l", self.level, "-t", self.typesize, "--filter", self.filter]
        options += ["--blocksize", self.blocksize] if self.blocksize else []
        return options + (["--splitmode", self.splitmode] if self.splitmode else [])


def c_blosc(case):
    """Returns C-Blosc's chunk of a case. Its split mode is set only by the environment, and persists after a call."""
    names = {"never": "NEVER", "auto": "AUTO", "forward": "FORWARD_COMPAT", None: "FORWARD_COMPAT"}
    os.environ["BLOSC_SPLITMODE"] = names[case.splitmode]
    blosc.set_blocksize(case.blocksize)
    return blosc.compress(case.plain, case.typesize, case.level, FILTERS.index(case.filter), case.codec)


def numcodecs_chunk(case):
    """Returns numcodecs' chunk of a case. It takes the type size from the buffer, so it only ever sees bytes."""
    shuffle = FILTERS.index(case.filter)
    return numcodecs.Blosc(case.codec, case.level, shuffle, case.blocksize).encode(case.plain)


def both_ways(folder, case, theirs, numcodecs_wrote):
    """Runs blpk on one case. Returns the encode run, its chunk, and the run and data of each decode."""
    name = os.path.join(folder, str(case.number))
    write(name + ".plain", case.plain)
    encoded = blpk("chunk", "encode", "--format", "blosc1", *case.options(), name + ".plain", name + ".ours")
    ours = read(name + ".ours")
    decoded = []
    for chunk in filter(None, [theirs, numcodecs_wrote, ours]):
        write(name + ".chunk", chunk)
        run = blpk("chunk", "decode", "-f", name + ".chunk", name + ".out")
        decoded.append((run, read(name + ".out")))
    for end in (".plain", ".ours", ".chunk", ".out"):
        if os.path.exists(name + end):
            os.unlink(name + end)
    return encoded, ours, decoded


def same_header(ours, theirs):
    """Returns whether all fields but the compressed size agree. One may store data that the other compresses a bit."""
    flags = (ours[2] | MEMCPYED) == (theirs[2] | MEMCPYED)
    return flags and ours[:2] == theirs[:2] and ours[3:12] == theirs[3:12]


def main():
    tally = Tally()
    blosc.set_nthreads(1)
    parameters = itertools.product(CODECS, range(10), FILTERS, TYPESIZES)
    with work_folder() as folder:
        for batch in batches(sampled(parameters)):
            cases = [Case(number, *parameters) for number, parameters in batch]
            theirs = [c_blosc(case) for case in cases]
            os.environ.pop("BLOSC_SPLITMODE", None)
            others = [numcodecs_chunk(case) if case.number % 3 == 0 else None for case in cases]
            work = list(zip([folder] * len(cases), cases, theirs, others))
            for (_, case, their_chunk, _), (encoded, ours, decoded) in zip(
                work, in_parallel(lambda w: both_ways(*w), work)
            ):
                for run, got in decoded:
                    tally.check(run.ok and got == case.plain, f"decode {case}", run)
                if not tally.check(encoded.ok and ours is not None and len(ours) >= 16, f"encode {case}", encoded):
                    continue
                tally.check(
                    same_header(ours, their_chunk),
                    f"header {case}",
                    f"{ours[:16].hex()} theirs {their_chunk[:16].hex()}",
                )
                tally.check(len(ours) <= case.nbytes + 16, f"length {case}", f"{len(ours)} bytes")
                try:
                    tally.check(blosc.decompress(ours) == case.plain, f"blosc reads {case}", "other bytes")
                    if case.nbytes:  # numcodecs refuses empty chunks, its own too
                        tally.check(
                            numcodecs.Blosc().decode(ours) == case.plain, f"numcodecs reads {case}", "other bytes"
                        )
                except Exception as error:
                    tally.check(False, f"C-Blosc reads {case}", repr(error))
    tally.finish()


if __name__ == "__main__":
    main()
