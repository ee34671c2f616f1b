"""Race of automatic choice: `blpk --auto`, `zstd`, `lz4` and fixed settings of `blpk`, on many kinds of data.

usage: auto.py BLPK DATA [--quick] [--set A,B] [--rounds N] [--tsv FILE]

DATA is a folder that benches/mkdata.py has filled. Processes with one thread compress and decompress files in memory,
in turn, and each round starts with another one. Times are CPU seconds, user and system. The fastest run counts.
`--auto=small`, `zstd -19` and the slow fixed settings get only the first 4 MiB of a set, in a race with all others on
the same bytes. `--quick` races the fast ones on these 4 MiB. `--set` selects sets by the start of their names.

Every output is decompressed and compared. The reference libraries also read the outputs of `--auto`.
"""

import argparse
import os
from pathlib import Path

import _entrants
from _common import Run, machine, start_up, work_folder, write_table
from _readers import check

START = 4 << 20
# An entrant whose runs took this many seconds in all has no further round.
LONG = 0.6
COLUMNS = ["set", "typesize", "part", "bytes", "entrant", "cbytes", "ratio", "compress_ms", "decompress_ms"]
COLUMNS += ["compress_MB/s", "decompress_MB/s"]


class Result:
    """Compressed size and the times of one entrant on one file."""

    def __init__(self):
        self.cbytes, self.compress, self.decompress = None, [], []

    def spent(self):
        return sum(self.compress) + sum(self.decompress)

    def row(self, name, typesize, part, nbytes, entrant):
        compress, decompress = min(self.compress), min(self.decompress)
        times = [f"{compress * 1e3:.3f}", f"{decompress * 1e3:.3f}"]
        speeds = [f"{nbytes / compress / 1e6:.1f}", f"{nbytes / decompress / 1e6:.1f}"]
        sizes = [str(self.cbytes), f"{nbytes / self.cbytes:.3f}"]
        return [name, str(typesize), part, str(nbytes), entrant, *sizes, *times, *speeds]


def race(entrants, plain, rounds):
    """Returns the result of every entrant on the file `plain`."""
    results = {entrant: Result() for entrant in entrants}
    for number in range(rounds):
        place = number % len(entrants)
        for entrant in entrants[place:] + entrants[:place]:
            result = results[entrant]
            if result.spent() < LONG:
                run(entrant, plain, result)
    return results


def run(entrant, plain, result):
    """Compresses and decompresses `plain`, and checks the bytes of the first round."""
    packed, again = "packed" + entrant.ending, "again"
    compress = Run(*entrant.compressing(plain, packed))
    decompress = Run(*entrant.decompressing(packed, again))
    if result.cbytes is None:
        result.cbytes = os.path.getsize(packed)
        check(entrant, plain, packed, again)
    result.compress.append(compress.cpu)
    result.decompress.append(decompress.cpu)
    os.unlink(packed)
    os.unlink(again)


def sets(folder, wanted):
    """Yields name, typesize and path of the sets whose names start with one of `wanted`."""
    paths = [*sorted(Path(folder).glob("*.bin")), *sorted(Path(folder, "corpus").glob("*.bin"))]
    for path in paths:
        name, typesize, _ = path.name.split(".")
        if not wanted or any(name.startswith(start) for start in wanted):
            yield name, int(typesize), path


def race_set(options, name, typesize, path):
    """Races all entrants on one set and returns the rows of the table."""
    plain = path.read_bytes()
    Path("whole").write_bytes(plain)
    Path("start").write_bytes(plain[:START])
    fast, slow = _entrants.quick(options.blpk, typesize), _entrants.slow(options.blpk, typesize)
    races = [("start", fast)] if options.quick else [("whole", fast), ("start", [*fast, *slow])]
    rows = []
    for part, entrants in races:
        results = race(entrants, part, options.rounds)
        nbytes = os.path.getsize(part)
        rows += [result.row(name, typesize, part, nbytes, entrant.name) for entrant, result in results.items()]
    for row in rows:
        if row[4].startswith(("auto", "zstd -", "lz4 -", "default")):
            print(f"{name:9} {row[2]:6} {row[4]:22} {row[6]:>9} {row[9]:>8} {row[10]:>8}", flush=True)
    return rows


def start_ups(blpk):
    """Returns rows for a file of 1 KiB, with and without automatic choice: wall time."""
    Path("small").write_bytes(b"".join(number.to_bytes(4, "little") for number in range(256)))
    rows = []
    autos = [_entrants.auto(blpk, goal, ".blp") for goal in ("fast", "balanced", "small")]
    for entrant in [_entrants.ours(blpk, "default"), *autos]:
        # The output is replaced each time.
        median, best, cpu = start_up(*entrant.compress, "-f", "small", "small.blp")
        print(f"start-up, 1 KiB, {entrant.name}: {median:.2f} ms median, {best:.2f} ms best, {cpu:.2f} ms of CPU")
        cbytes = os.path.getsize("small.blp")
        rows.append(["start-up", "4", "", "1024", entrant.name, str(cbytes), "", f"{best:.3f}", "", "", ""])
    return rows


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("blpk", type=os.path.abspath)
    parser.add_argument("data", type=os.path.abspath)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--set", type=lambda names: names.split(","), default=[])
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--tsv", type=os.path.abspath)
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 7)
    return options


def main():
    options = parsed()
    about = [machine(), "one thread, files in memory, CPU time, the fastest run of up to "]
    about[1] += f"{options.rounds} rounds; part `start` is the first 4 MiB, on which the slow entrants race"
    about += ["set start-up: a file of 1 KiB, wall time of the fastest of 201 runs"]
    print(*about, sep="\n")
    print(f"{'set':9} {'part':6} {'entrant':22} {'ratio':>9} {'MB/s':>8} {'MB/s':>8}")
    with work_folder() as folder:
        os.chdir(folder)
        rows = start_ups(options.blpk)
        for name, typesize, path in sets(options.data, options.set):
            rows += race_set(options, name, typesize, path)
        os.chdir("/")
    if options.tsv:
        write_table(options.tsv, about, COLUMNS, rows)


if __name__ == "__main__":
    main()
