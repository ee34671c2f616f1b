"""Appends to bloscpack files by blpk and bloscpack in turn.

Either tool creates a file and either appends to it, in every order of up to three appends, of whole chunks and parts of
chunks. Both must read the same data after every step.
"""

import itertools
import os
import random

import bloscpack
from bloscpack.append import append

from _common import CODECS, Tally, blpk, plain, read, sampled, work_folder, write
from _reference import reference, unpack

CHUNK = 4096
# Size of the first data, and sizes to append: into the last chunk, up to its end, one byte over it, several chunks. A
# file has room for ten times its initial number of chunks. A file with a single short chunk takes that chunk's size as
# its chunk size.
SIZES = [
    (100, [1, 50, 99, 100, 101]),
    (CHUNK + 1, [1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 77]),
    (5 * CHUNK, [1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 77]),
]
CHECKSUMS = ["adler32", "None", "sha256", "crc32"]


class History:
    """A creator and a sequence of appends with their writers, reproducible from its number."""

    def __init__(self, number, creator, writers):
        rng = random.Random(number)
        self.number, self.creator, self.writers = number, creator, writers
        self.typesize = rng.choice([1, 4, 8])
        self.codec = rng.choice(CODECS)
        self.checksum = rng.choice(CHECKSUMS)
        size, steps = rng.choice(SIZES)
        self.first = plain("words", size, 1, number)
        kinds = [rng.choice(["words", "ramp", "noise"]) for _ in writers]
        self.parts = [plain(kind, rng.choice(steps), self.typesize, number + i) for i, kind in enumerate(kinds)]
        self.codecs = [rng.choice(CODECS) for _ in writers]

    def __str__(self):
        steps = ", ".join(
            f"{who} {len(part)} bytes with {codec}" for who, part, codec in zip(self.writers, self.parts, self.codecs)
        )
        return (
            f"#{self.number} {self.creator} wrote {len(self.first)} bytes ({self.codec}, {self.checksum}), then {steps}"
        )


def play(folder, history):
    """Runs a history. Returns the runs, the data after each step as read by blpk and the reference, and both infos."""
    name = os.path.join(folder, str(history.number))
    file = name + ".blp"
    write(name, history.first)
    options = ["-z", CHUNK, "-t", history.typesize, "-c", history.codec, "-k", history.checksum]
    if history.creator == "ours":
        runs = [blpk("c", *options, name, file)]
    else:
        runs = [reference("c", *options, name, file)]
    seen = []
    for writer, part, codec in zip(history.writers, history.parts, history.codecs):
        write(name, part)
        if writer == "ours":
            runs.append(blpk("a", "-c", codec, file, name))
        else:
            try:
                append(file, name, bloscpack.BloscArgs(history.typesize, 5, True, codec))
            except Exception as error:
                seen.append((None, f"{error!r}"))
                break
        runs.append(blpk("d", "-f", file, name + ".out"))
        seen.append((read(name + ".out"), unpack(file)[0]))
    info = (blpk("info", file), reference("info", file))
    if history.writers[-1] == "ours":  # the reference leaves bytes of a longer last chunk past the end
        runs.append(blpk("verify", file))
    return runs, seen, info


def main():
    tally = Tally()
    orders = [order for count in (1, 2, 3) for order in itertools.product(["ours", "theirs"], repeat=count)]
    histories = itertools.product(range(12), ["ours", "theirs"], orders)
    with work_folder() as folder:
        for number, (_, creator, order) in sampled(histories):
            history = History(number, creator, order)
            runs, seen, (ours, theirs) = play(folder, history)
            for run in runs:
                tally.check(run.ok, f"{history}", run)
            whole = history.first
            for step, (part, (by_us, by_them)) in enumerate(zip(history.parts, seen)):
                whole += part
                tally.check(by_us == whole, f"{history}: blpk after append {step + 1}", "other bytes")
                tally.check(by_them == whole, f"{history}: the reference after append {step + 1}", repr(by_them)[:200])
            tally.check(ours.stdout == theirs.stdout, f"{history}: info", f"{ours.stdout!r} theirs {theirs.stdout!r}")
            for file in os.listdir(folder):
                os.unlink(os.path.join(folder, file))
    tally.finish()


if __name__ == "__main__":
    main()
