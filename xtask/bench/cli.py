"""Race of command lines: blpk against the reference's blpk, lz4 and zstd.

usage: cli.py OURS THEIRS [--rounds N] [--megabytes N] [--tsv FILE]

The input is a file of float64 `linspace` in memory, so that no disk is measured. All tools compress and decompress it
in turn: both blpk with their defaults, with one thread and with two; `lz4 -1` and `zstd -T0 -1`, if installed, against
our defaults. A ratio compares two runs of the same round, so that load on the machine slows both. numpy is not imported
here, because a child's peak memory includes its parent's size at the fork.
"""

import argparse
import filecmp
import os
import shutil
import statistics
import subprocess
import sys

from _common import Run, machine, start_up, work_folder, write_table

LINSPACE = "import numpy, sys; numpy.linspace(0, 1, int(sys.argv[2])).tofile(sys.argv[1])"


def compare(rows, rounds, what, threads, peer, ours, theirs):
    """Runs both commands in turn, prints one row of the table and appends it to `rows`."""
    pairs = []
    for number in range(rounds):
        order = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        runs = {id(command): Run(*command) for command in order}
        pairs.append((runs[id(ours)], runs[id(theirs)]))
    row = f"{what:10} {threads:7} {peer:14}"
    for seconds in (lambda run: run.wall, lambda run: run.cpu):
        for value in (lambda a, b: seconds(a), lambda a, b: seconds(b), lambda a, b: seconds(b) / seconds(a)):
            row += f" {statistics.median(value(*pair) for pair in pairs):7.3f}"
        row += "  "
    print(row + f" {max(a.peak for a, _ in pairs):7.1f} {max(b.peak for _, b in pairs):7.1f}", flush=True)
    wall = (lambda a, b: a.wall, lambda a, b: b.wall, lambda a, b: b.wall / a.wall)
    rows.append([what, threads, peer, *(f"{statistics.median(value(*pair) for pair in pairs):.4f}" for value in wall)])


def others(rows, rounds, ours):
    """Races our defaults against other file compressors, each with a file of its own."""
    tools = {"lz4": ["lz4", "-q", "-f", "-1"], "zstd -T0": ["zstd", "-q", "-f", "-T0", "-1"]}
    for name, (program, *options) in tools.items():
        path = shutil.which(program)
        if path is None:
            print(f"{name}: not installed")
            continue
        our_way, their_way = [ours, "-f", "c", "data", "ours.blp"], [path, *options, "data", "-o", "theirs.out"]
        their_way = [path, *options, "data", "theirs.out"] if program == "lz4" else their_way
        compare(rows, rounds, "compress", "default", name, our_way, their_way)
        back = [path, "-q", "-f", "-d", "theirs.out", *([] if program == "lz4" else ["-o"]), "again"]
        compare(rows, rounds, "decompress", "default", name, [ours, "-f", "d", "ours.blp", "ours.out"], back)
        os.unlink("theirs.out")
        os.unlink("again")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--tsv", type=os.path.abspath)
    options = parser.parse_args()
    ours, theirs = os.path.abspath(options.ours), os.path.abspath(options.theirs)

    with work_folder() as folder:
        os.chdir(folder)
        subprocess.run([sys.executable, "-c", LINSPACE, "data", str(options.megabytes * 125_000)], check=True)
        about = [machine()]
        about += [f"float64 linspace, {os.path.getsize('data')} bytes in memory; medians of {options.rounds} rounds"]
        print(*about, sep="\n")
        print(f"{'':33} {'wall s':^23}   {'CPU s':^23}   {'peak MiB':^15}")
        three, two = f"{'ours':>7} {'theirs':>7} {'times':>7}", f"{'ours':>7} {'theirs':>7}"
        print(f"{'':33} {three}   {three}   {two}")
        rows = []
        for threads in ([], ["-n", "1"], ["-n", "2"]):
            name = threads[-1] if threads else "default"
            our_tool, their_tool = ([tool, *threads, "-f"] for tool in (ours, theirs))
            compress = [*our_tool, "c", "data", "ours.blp"], [*their_tool, "c", "data", "theirs.blp"]
            compare(rows, options.rounds, "compress", name, "reference blpk", *compress)
            # Both read the reference's file, so that neither gains from reading its own output.
            outputs = ["ours.out", "theirs.out"]
            decompress = [*our_tool, "d", "theirs.blp", outputs[0]], [*their_tool, "d", "theirs.blp", outputs[1]]
            compare(rows, options.rounds, "decompress", name, "reference blpk", *decompress)
            Run(theirs, "-f", "d", "ours.blp", "again")
            for output in [*outputs, "again"]:
                if not filecmp.cmp("data", output, shallow=False):
                    sys.exit(f"{output} is not what went in")
                os.unlink(output)
        sizes = [os.path.getsize(file) for file in ("ours.blp", "theirs.blp")]
        print(f"compressed size: {sizes[0]} ours, {sizes[1]} theirs, ratio {sizes[0] / sizes[1]:.4f}")
        others(rows, options.rounds, ours)
        median, best, cpu = start_up(ours, "--version")
        print(f"start-up, `blpk --version`: {median:.2f} ms median, {best:.2f} ms best, {cpu:.2f} ms of CPU")
        rows.append(["start-up", "default", "-", f"{median / 1000:.5f}", "", ""])
        if options.tsv:
            write_table(options.tsv, about, ["what", "threads", "peer", "ours_s", "peer_s", "ours_to_peer"], rows)
        os.chdir("/")


if __name__ == "__main__":
    main()
