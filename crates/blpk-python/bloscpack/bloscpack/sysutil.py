"""Helpers for benchmarks: write cached data to the disk, and empty the cache of the system."""

import os


def sync() -> None:
    """Write cached data to the disk."""
    os.sync()


def drop_caches() -> None:
    """Empty the page cache of Linux. Needs the rights of root."""
    if os.geteuid() != 0:
        raise RuntimeError("only root may drop the caches")
    with open("/proc/sys/vm/drop_caches", "w") as control:
        control.write("3\n")
