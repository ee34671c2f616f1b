"""Race of reading a bcolz table's column: bloscpack-io against bcolz.

usage: bcolz.py OURS [--rounds N] [--rows N] [--tsv FILE]

OURS is the example `read_column` of bloscpack-io. bcolz (bcolz-zipline, the fork used by zipline) creates an in-memory
table of three columns with its defaults: LZ4, level 5, shuffle. Then both read a whole column into a new array, in
turn: bcolz in this process, ours in a process that keeps running. Each times itself, without start-up and opening. A
ratio compares two runs of the same round, so that load on the machine slows both.
"""

import sys

# This file has the name of the module that it imports.
HERE = sys.path.pop(0)
import bcolz  # noqa: E402

sys.path.insert(0, HERE)

import argparse
import os
import statistics
import subprocess
import time

import numpy
from _common import machine, work_folder, write_table


def columns(rows):
    """A drifting measurement, ordered times with gaps, prices in thousandths as zipline stores them."""
    rng = numpy.random.default_rng(1)
    drift = numpy.cumsum(rng.normal(size=rows))
    prices = 50_000 + numpy.cumsum(rng.integers(-20, 21, rows))
    return {
        "float64": numpy.round(drift, 3),
        "int64": numpy.cumsum(rng.integers(1, 60, rows)) * 1_000_000_000,
        "uint32": numpy.abs(prices).astype("u4"),
    }


class Ours:
    """A process that reads the column once for each line on its stdin."""

    def __init__(self, program, root, threads):
        command = [program, root, str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        seconds, total = self.process.stdout.readline().split()
        return float(seconds), int(total)

    def close(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit("read_column failed")


def theirs(column):
    start = time.perf_counter()
    found = column[:]
    seconds = time.perf_counter() - start
    return seconds, int(found.view("u1").sum(dtype="u8"))


def race(program, root, table, name, threads, rounds):
    """Returns the median seconds of ours and theirs, and the median ratio of theirs to ours."""
    bcolz.set_nthreads(threads)
    ours, column = Ours(program, os.path.join(root, name), threads), table[name]
    pairs = []
    # The first round warms up.
    for number in range(rounds + 1):
        if number % 2:
            their_run, our_run = theirs(column), ours.read()
        else:
            our_run, their_run = ours.read(), theirs(column)
        if our_run[1] != their_run[1]:
            sys.exit(f"{name}: the bytes differ")
        pairs.append((our_run[0], their_run[0]))
    ours.close()
    pairs = pairs[1:]
    ratios = [b / a for a, b in pairs]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), statistics.median(ratios)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--tsv")
    args = parser.parse_args()
    with work_folder() as folder:
        root = os.path.join(folder, "table")
        made = columns(args.rows)
        bcolz.ctable(list(made.values()), names=list(made), rootdir=root, mode="w").flush()
        del made
        table = bcolz.open(root, mode="r")
        rows = []
        print(f"{'column':10} threads  ours_s  peer_s  ours_to_peer")
        for name in table.names:
            ratio = table[name].nbytes / max(table[name].cbytes, 1)
            for threads in (1, 2):
                ours, peer, ours_to_peer = race(args.ours, root, table, name, threads, args.rounds)
                print(f"{name:10} {threads:7} {ours:7.4f} {peer:7.4f} {ours_to_peer:13.2f}", flush=True)
                rows.append([name, str(threads), f"{ratio:.2f}", f"{ours:.4f}", f"{peer:.4f}", f"{ours_to_peer:.4f}"])
    if args.tsv:
        about = [machine(), f"bcolz-zipline {bcolz.__version__}, c-blosc {bcolz.blosc_version()[0]}; a column of "]
        about[1] += f"{args.rows} rows in a ctable in memory, its defaults; medians of {args.rounds} rounds"
        header = ["column", "threads", "compression_ratio", "ours_s", "peer_s", "ours_to_peer"]
        write_table(os.path.abspath(args.tsv), about, header, rows)


main()
