"""Outputs of automatic choice, read by bloscpack and C-Blosc2.

Every goal on many kinds of data, whole and as parts of one file, in both formats, with and without fixed settings. A
choice does not depend on the number of threads. A part of another kind gets settings of its own.
"""

import itertools
import os

import blosc2
import numpy

from _common import Tally, blpk, in_parallel, plain, read, sampled, work_folder, write
from _reference import unpack
from sizes import data_kinds

GOALS = ["fast", "balanced", "small"]
ENDINGS = [".blp", ".b2frame"]
# Settings that stay as given.
FIXED = [[], ["-t", 4], ["-c", "lz4"], ["-c", "zstd", "-l", 2], ["--filter", "shuffle"], ["-z", "300K"], ["-z", "64K"]]
MIXTURES = [("text", "field"), ("field", "noise", "text"), ("stamps", "text", "stamps", "records"), ("zeros", "image")]


def inputs():
    """Returns name to bytes: kinds of data, mixtures of them, and tiny inputs."""
    kinds = {name: data for name, (_, data) in data_kinds().items()} | more_kinds()
    for parts in MIXTURES:
        kinds["+".join(parts)] = b"".join(kinds[part] for part in parts)
    # Streams too short for C-Blosc 1, at the end of a file and in all of it, and zeros that are not whole items.
    kinds |= {f"{size} bytes of stamps": kinds["stamps"][:size] for size in (504, 900, 1400, 2200, 66336)}
    kinds |= {f"{size} zeros": bytes(size) for size in (37, 1001, 65537)}
    return kinds | {f"{size} bytes": plain("words", size, 1, size) for size in (0, 1, 15, 17, 1000)}


def more_kinds(size=1 << 20):
    """Returns kinds that sizes.py lacks. `points` and `records` have an unusual typesize."""
    rng = numpy.random.default_rng(20261125)
    drift = numpy.cumsum(rng.normal(0, 0.1, size // 8))
    points = numpy.cumsum(rng.normal(0, 1, (size // 12, 3)), axis=0)
    records = numpy.zeros(size // 22, [("id", "<u4"), ("sensor", "<u2"), ("value", "<f8"), ("name", "S8")])
    records["id"] = numpy.arange(len(records))
    records["value"] = numpy.round(20 + rng.normal(0, 1, len(records)), 2)
    records["name"] = b"pump-01"
    return {
        "decimals": numpy.round(15 + drift, 1).tobytes(),
        "sparse": numpy.where(rng.random(size // 8) < 0.02, drift, 0.0).tobytes(),
        "points": numpy.round(points, 3).astype("<f4").tobytes(),
        "records": records.tobytes(),
        "runs": plain("runs", size, 1, 3),
        "zeros": bytes(size),
    }


def cases(names):
    """Yields name of input, goal, format and fixed settings: all goals, and all settings with one goal."""
    yield from itertools.product(names, GOALS, ENDINGS, [[]])
    yield from itertools.product(names, ["balanced"], ENDINGS, FIXED[1:])


def ours(job):
    """Returns the runs of blpk for a case: with one thread, with two unless that takes long, and back."""
    name, case, source = job
    source_name, goal, ending, fixed = case
    # A part of a mixture is a chunk.
    chunks = ["-z", "1M"] if "+" in source_name and "-z" not in fixed else []
    compress = ["c", f"--auto={goal}", *fixed, *chunks, source]
    runs = [blpk("-n", n, *compress, f"{name}.{n}{ending}") for n in ((1,) if goal == "small" else (1, 2))]
    return [*runs, blpk("d", f"{name}.1{ending}", name + ".out")]


def theirs(path):
    """Returns the bytes as the reference library reads them."""
    if path.endswith(".blp"):
        return unpack(path)[0]
    frame = blosc2.open(path, mode="r")
    return b"".join(frame.decompress_chunk(number) for number in range(frame.nchunks))


def check(tally, name, case, data, runs):
    """Checks the outputs of a case."""
    what, ending = f"{case}", case[2]
    for run in runs:
        tally.check(run.ok and not run.stderr, f"blpk on {what}", run)
    one, two = (f"{name}.{n}{ending}" for n in (1, 2))
    if len(runs) == 3:
        tally.check(read(one) == read(two), f"one result for one and two threads, {what}")
    tally.check(read(name + ".out") == data, f"decompress {what}")
    if os.path.exists(one):
        tally.check(theirs(one) == data, f"the reference reads {what}")
        if ending == ".b2frame" and "+" in case[0] and not case[3]:
            tally.check(len(settings(one)) > 1, f"parts have settings of their own in {what}", settings(one))
    for path in (one, two, name + ".out"):
        if os.path.exists(path):
            os.unlink(path)


def settings(path):
    """Returns the settings of the chunks of a frame: typesize and filters in their headers."""
    frame = blosc2.open(path, mode="r")
    headers = [frame.get_chunk(number)[:32] for number in range(frame.nchunks)]
    return {(header[3], header[16:22]) for header in headers}


def check_changes(tally, folder, data):
    """Appends to files and converts them with automatic choice."""
    pairs = itertools.permutations(["text", "decimals", "points"], 2)
    for (first, second), goal in itertools.product(pairs, GOALS[:2]):
        old, new = (write(os.path.join(folder, name), data[name]) for name in (first, second))
        packed, frame = os.path.join(folder, "changed.blp"), os.path.join(folder, "changed.b2frame")
        auto = f"--auto={goal}"
        runs = [blpk("c", auto, old, packed), blpk("a", auto, packed, new), blpk("convert", auto, packed, frame)]
        what = f"{second} after {first}, {goal}"
        for run in runs:
            tally.check(run.ok and not run.stderr, f"blpk on {what}", run)
        for path in (packed, frame):
            tally.check(theirs(path) == data[first] + data[second], f"the reference reads {path[-7:]} of {what}")
            os.unlink(path)


def main():
    tally = Tally()
    blosc2.set_nthreads(1)
    data = inputs()
    with work_folder() as folder:
        sources = {name: write(os.path.join(folder, "source of " + name), data[name]) for name in data}
        work = [(os.path.join(folder, str(number)), case, sources[case[0]]) for number, case in sampled(cases(data))]
        for (name, case, _), runs in zip(work, in_parallel(ours, work)):
            check(tally, name, case, data[case[0]], runs)
        check_changes(tally, folder, data)
    tally.finish()


if __name__ == "__main__":
    main()
