"""Sizes of our Blosc2 chunks compared with C-Blosc2's.

Covers the kinds of data of `sizes.py`, each codec, level and filter. Prints the ratio ours/theirs (one row per codec
and level, one column per kind of data) and the worst cells of each codec. Sizes have no limit yet; a chunk that
C-Blosc2 does not read is a failure.
"""

import itertools
import os

import blosc2

from _common import CODECS, FILTERS, Tally, blpk, in_parallel, read, sampled, work_folder, write
from sizes import data_kinds

LEVELS = range(1, 10)
WORST = 5


def main():
    tally = Tally()
    blosc2.set_nthreads(1)
    kinds = data_kinds()
    cells = {}
    with work_folder() as folder:
        for kind, (_, data) in kinds.items():
            write(os.path.join(folder, kind), data)

        def both(job):
            """Returns our size and theirs."""
            codec, level, kind, filter = job
            typesize, data = kinds[kind]
            out = os.path.join(folder, "-".join(map(str, job)))
            options = ["-c", codec, "-l", level, "-t", typesize, "--filter", filter]
            run = blpk("chunk", "encode", "--format", "blosc2", *options, os.path.join(folder, kind), out)
            ours = read(out) or b""
            if ours:
                os.unlink(out)
            theirs = blosc2.compress2(
                data,
                codec=blosc2.Codec[codec.upper()],
                clevel=level,
                typesize=typesize,
                filters=[blosc2.Filter["NOFILTER" if filter == "none" else filter.upper()]],
                filters_meta=[0],
                splitmode=blosc2.SplitMode.FORWARD_COMPAT_SPLIT,
                nthreads=1,
            )
            return run.ok and blosc2.decompress2(ours) == data, run, len(ours), len(theirs)

        print("compressed size of Blosc2 chunks, ours/theirs, over all filters")
        print(f"{'codec':8} {'level':>5} " + " ".join(f"{kind:>9}" for kind in kinds))
        for _, (codec, level) in sampled(itertools.product(CODECS, LEVELS)):
            jobs = [(codec, level, kind, filter) for kind in kinds for filter in FILTERS]
            for job, (ok, run, ours, theirs) in zip(jobs, in_parallel(both, jobs)):
                tally.check(ok, f"size of {job}", run)
                cells[job] = (ours, theirs)
            row = []
            for kind in kinds:
                ours, theirs = zip(*(cells[codec, level, kind, filter] for filter in FILTERS))
                row.append(sum(ours) / sum(theirs))
            print(f"{codec:8} {level:5} " + " ".join(f"{ratio:9.4f}" for ratio in row), flush=True)
    print("worst cells of each codec")
    for codec in CODECS:
        own = [job for job in cells if job[0] == codec]
        own.sort(key=lambda job: cells[job][0] / cells[job][1], reverse=True)
        for job in own[:WORST]:
            ours, theirs = cells[job]
            _, level, kind, filter = job
            print(f"{codec:8} {level:5} {kind:>9} {filter:10} {ours:8} theirs {theirs:8} {ours / theirs:.4f}")
    tally.finish()


if __name__ == "__main__":
    main()
