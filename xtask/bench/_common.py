"""Shared by the races of whole programs: runs of child processes, in memory, with their CPU time and peak memory."""

import os
import statistics
import sys
import tempfile
import time


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


def start_up(*command):
    """Returns milliseconds of a short run: median and best wall time, and mean CPU time."""
    runs = [Run(*command) for _ in range(201)]
    wall = [run.wall * 1000 for run in runs]
    return statistics.median(wall), min(wall), statistics.mean(run.cpu * 1000 for run in runs)


def work_folder():
    """Creates a temporary folder, in memory where possible, so that no disk is measured."""
    return tempfile.TemporaryDirectory(prefix="bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def machine():
    """Describes the processor, and the compiler and commit that xtask passes on."""
    return f"{cpu_model()}, {os.cpu_count()} cores; {os.environ.get('BENCH_BUILT_FROM', 'unknown rustc')}"


def cpu_model():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown CPU"


def write_table(path, about, columns, rows):
    """Writes tab-separated values after comments."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.writelines(f"# {line}\n" for line in about)
        file.writelines("\t".join(row) + "\n" for row in [columns, *rows])
