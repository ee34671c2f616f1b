"""Measures `blpk convert` of a ctable of 1 GB, whose chunks are copied, against `cp -r`.

    python xtask/bench/convert.py BLPK FOLDER [ROUNDS] > docs/bench/convert.tsv

FOLDER is on the disk to be measured. Each round runs every command once, into a directory that does not exist; the
input is in the page cache. Medians are printed, and their ratio to `cp -r` without and with a sync of all files, which
`blpk` does. Needs bcolz and NumPy.
"""

import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

# Keeps bcolz.py in this folder from shadowing the library.
sys.path.pop(0)
import bcolz  # noqa: E402
import numpy  # noqa: E402

BLPK, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 9
ROWS = 25_000_000
INPUT, OUTPUT = os.path.join(FOLDER, "t.bcolz"), os.path.join(FOLDER, "out")


def make():
    rng = numpy.random.default_rng(1)
    columns = {
        "time": numpy.cumsum(rng.integers(1, 1000, ROWS)).astype("<i8"),
        "price": (100 + numpy.cumsum(rng.standard_normal(ROWS)) * 0.01).round(2),
        "size": rng.integers(1, 500, ROWS).astype("<i4"),
        "flags": rng.integers(0, 4, ROWS).astype("u1"),
        "x": rng.standard_normal(ROWS),
        "y": rng.random(ROWS).astype("<f4"),
        "id": rng.integers(0, 2**31, ROWS).astype("<i8"),
    }
    table = bcolz.ctable(list(columns.values()), names=list(columns), rootdir=INPUT, mode="w", expectedlen=ROWS)
    table.flush()
    return sum(column.nbytes for column in columns.values())


def run(command):
    for name in os.listdir(FOLDER):
        if name.startswith("out"):
            path = os.path.join(FOLDER, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    os.sync()
    start = time.perf_counter()
    subprocess.run(command, shell=True, check=True, capture_output=True)
    return time.perf_counter() - start


plain = make()
stored = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(INPUT) for name in names)
COMMANDS = {
    "cp -r": f"cp -r {INPUT} {OUTPUT}",
    "cp -r, then sync of each file": f"cp -r {INPUT} {OUTPUT} && find {OUTPUT} -type f -exec sync {{}} +",
    "convert to .zarr": f"{BLPK} convert {INPUT} {OUTPUT}.zarr",
    "convert to .zarr, format 2": f"{BLPK} convert --zarr-format 2 {INPUT} {OUTPUT}.zarr",
    "convert to .bcolz": f"{BLPK} convert {INPUT} {OUTPUT}.bcolz",
    "convert to .zarr --recompress": f"{BLPK} convert --recompress {INPUT} {OUTPUT}.zarr",
}
times = {name: [] for name in COMMANDS}
for _ in range(ROUNDS):
    for name, command in COMMANDS.items():
        times[name].append(run(command))
medians = {name: statistics.median(found) for name, found in times.items()}
copy, synced = medians["cp -r"], medians["cp -r, then sync of each file"]
print(f"# {platform.machine()}, {os.cpu_count()} cores; a ctable of {plain / 1e9:.2f} GB, {stored / 1e9:.2f} GB stored")
print(f"# medians of {ROUNDS} rounds; load average {os.getloadavg()[1]:.1f}")
print("command\tseconds\tmin_s\tto_cp\tto_cp_and_sync")
for name, found in medians.items():
    print(f"{name}\t{found:.3f}\t{min(times[name]):.3f}\t{found / copy:.2f}\t{found / synced:.2f}")
