"""Is our blpk faster than the reference's?

usage: cli.py OURS THEIRS [--rounds N] [--megabytes N]

A file of float64 `linspace` in memory, so that no disk is measured. Both tools compress and decompress it in turn, with
their defaults, one thread and two; a ratio is of two runs of the same round, so that a busy machine slows both. numpy is
not imported here: a child's peak memory counts from its parent's size at the fork.
"""

import argparse
import filecmp
import os
import statistics
import subprocess
import sys
import tempfile
import time

LINSPACE = "import numpy, sys; numpy.linspace(0, 1, int(sys.argv[2])).tofile(sys.argv[1])"


class Run:
    """Wall and CPU seconds and peak memory (MiB) of one run of a program."""

    def __init__(self, *command):
        start = time.perf_counter()
        devnull = os.open(os.devnull, os.O_RDWR)
        child = os.posix_spawn(
            command[0], list(map(str, command)), os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, devnull, 1)]
        )
        _, status, usage = os.wait4(child, 0)
        self.wall = time.perf_counter() - start
        os.close(devnull)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss / 1024
        if status:
            sys.exit(f"{' '.join(map(str, command))} ended with status {status}")


def compare(name, rounds, ours, theirs):
    """Runs both commands in turn and prints one row of the table."""
    pairs = []
    for number in range(rounds):
        order = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        runs = {id(command): Run(*command) for command in order}
        pairs.append((runs[id(ours)], runs[id(theirs)]))
    row = f"{name:20}"
    for seconds in (lambda run: run.wall, lambda run: run.cpu):
        for value in (lambda a, b: seconds(a), lambda a, b: seconds(b), lambda a, b: seconds(a) / seconds(b)):
            row += f" {statistics.median(value(*pair) for pair in pairs):7.3f}"
        row += "  "
    print(row + f" {max(a.peak for a, _ in pairs):7.1f} {max(b.peak for _, b in pairs):7.1f}", flush=True)


def cpu_model():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown CPU"


def start_up(blpk):
    """Milliseconds of `blpk --version`: the median and the best wall time, and the mean CPU time."""
    runs = [Run(blpk, "--version") for _ in range(201)]
    wall = [run.wall * 1000 for run in runs]
    return statistics.median(wall), min(wall), statistics.mean(run.cpu * 1000 for run in runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=400)
    options = parser.parse_args()
    ours, theirs = os.path.abspath(options.ours), os.path.abspath(options.theirs)

    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="bench-", dir=memory) as folder:
        os.chdir(folder)
        subprocess.run([sys.executable, "-c", LINSPACE, "data", str(options.megabytes * 125_000)], check=True)
        print(f"{cpu_model()}, {os.cpu_count()} cores; {os.environ.get('RUSTC_VERSION', 'unknown rustc')}")
        print(f"float64 linspace, {os.path.getsize('data')} bytes in {folder}; medians of {options.rounds} rounds")
        print(f"{'':20} {'wall s':^23}   {'CPU s':^23}   {'peak MiB':^15}")
        three, two = f"{'ours':>7} {'theirs':>7} {'ratio':>7}", f"{'ours':>7} {'theirs':>7}"
        print(f"{'':20} {three}   {three}   {two}")
        for threads in ([], ["-n", "1"], ["-n", "2"]):
            name = " ".join(threads) or "default"
            our_tool, their_tool = ([tool, *threads, "-f"] for tool in (ours, theirs))
            compress = [*our_tool, "c", "data", "ours.blp"], [*their_tool, "c", "data", "theirs.blp"]
            compare(f"compress {name}", options.rounds, *compress)
            # Both read the reference's file, so that neither gains by what it wrote itself.
            outputs = ["ours.out", "theirs.out"]
            decompress = [*our_tool, "d", "theirs.blp", outputs[0]], [*their_tool, "d", "theirs.blp", outputs[1]]
            compare(f"decompress {name}", options.rounds, *decompress)
            Run(theirs, "-f", "d", "ours.blp", "again")
            for output in [*outputs, "again"]:
                if not filecmp.cmp("data", output, shallow=False):
                    sys.exit(f"{output} is not what went in")
                os.unlink(output)
        sizes = [os.path.getsize(file) for file in ("ours.blp", "theirs.blp")]
        print(f"compressed size: {sizes[0]} ours, {sizes[1]} theirs, ratio {sizes[0] / sizes[1]:.4f}")
        median, best, cpu = start_up(ours)
        print(f"start-up, `blpk --version`: {median:.2f} ms median, {best:.2f} ms best, {cpu:.2f} ms of CPU")
        os.chdir("/")


if __name__ == "__main__":
    main()
