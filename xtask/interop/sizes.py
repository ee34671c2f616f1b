"""Sizes of our Blosc1 chunks compared with C-Blosc's.

The contract: over each kind of data, each codec at each level compresses to at most 2 % more than C-Blosc 1.21 with the
same parameters. Prints the ratio ours/theirs: one row per codec and level, one column per kind of data.
"""

import itertools
import os

import blosc
import numpy

from _common import CODECS, FILTERS, Tally, blpk, in_parallel, linspace, noise, read, sampled, words, work_folder, write

SIZE = 1 << 20  # the default chunk size of bloscpack
LIMIT = 1.02


def data_kinds():
    """Returns name to (type size, data): typical contents of Blosc chunks, generated from a fixed seed."""
    rng = numpy.random.default_rng(20261121)
    side = int((SIZE // 2) ** 0.5)
    y, x = numpy.mgrid[0:side, 0:side]
    image = 120 + 80 * numpy.sin(x / 90) * numpy.cos(y / 70)
    waves = numpy.cumsum(rng.normal(0, 1e-3, SIZE // 4)) + 280 + 10 * numpy.sin(numpy.arange(SIZE // 4) / 500)
    return {
        "linspace": (8, linspace(SIZE)),
        "stamps": (8, (1_700_000_000_000_000 + numpy.cumsum(rng.integers(900, 1100, SIZE // 8))).tobytes()),
        "keys": (8, rng.integers(0, 2_000_000, SIZE // 8).tobytes()),
        "prices": (8, numpy.round(100 + numpy.cumsum(rng.normal(0, 0.02, SIZE // 8)), 2).tobytes()),
        "field": (4, waves.astype("<f4").tobytes()),
        "image": (2, rng.poisson(image).astype("<u2").tobytes()),
        "text": (1, words(SIZE, 7)),
        "noise": (8, noise(SIZE, 9)),
    }


def main():
    tally = Tally()
    blosc.set_nthreads(1)
    blosc.set_blocksize(0)
    kinds = data_kinds()
    with work_folder() as folder:
        for kind, (_, data) in kinds.items():
            write(os.path.join(folder, kind), data)

        def ours(job):
            codec, level, kind, filter = job
            out = os.path.join(folder, "-".join(map(str, job)))
            options = ["-c", codec, "-l", level, "-t", kinds[kind][0], "--filter", filter]
            run = blpk("chunk", "encode", "--format", "blosc1", *options, os.path.join(folder, kind), out)
            chunk = read(out) or b""
            if chunk:
                os.unlink(out)
            return run.ok and chunk[12:16] == len(chunk).to_bytes(4, "little"), len(chunk), run

        def theirs(codec, level, kind, filter):
            typesize, data = kinds[kind]
            return len(blosc.compress(data, typesize, level, FILTERS.index(filter), codec))

        print("compressed size, ours/theirs, over all filters (limit %.2f)" % LIMIT)
        print(f"{'codec':8} {'level':>5} " + " ".join(f"{kind:>9}" for kind in kinds))
        for _, (codec, level) in sampled(itertools.product(CODECS, range(10))):
            row = []
            for kind in kinds:
                jobs = [(codec, level, kind, filter) for filter in FILTERS]
                done = list(in_parallel(ours, jobs))
                for job, (ok, _, run) in zip(jobs, done):
                    tally.check(ok, f"encode {job}", run)
                ratio = sum(size for _, size, _ in done) / sum(theirs(*job) for job in jobs)
                each = (
                    ", ".join(f"{job[3]} {size} theirs {theirs(*job)}" for job, (_, size, _) in zip(jobs, done))
                    if ratio > LIMIT
                    else ""
                )
                tally.check(
                    ratio <= LIMIT, f"size of {codec} -l {level} on {kind}", f"{ratio:.4f} of C-Blosc's ({each})"
                )
                row.append(ratio)
            print(f"{codec:8} {level:5} " + " ".join(f"{ratio:9.4f}" for ratio in row), flush=True)
    tally.finish()


if __name__ == "__main__":
    main()
