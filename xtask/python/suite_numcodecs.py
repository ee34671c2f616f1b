"""Runs the Blosc tests of numcodecs, unmodified, with the codec of blpk in the place of numcodecs' own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from _fetch import sdist
from _suite import run_suite

VERSION = "0.16.6"

#: Tests that cannot pass, with the reason.
NOT_APPLICABLE: dict[str, str] = {}


def main() -> int:
    source = sdist("numcodecs", VERSION)
    with tempfile.TemporaryDirectory() as folder:
        # Chunks that C-Blosc wrote. The tests would add missing ones to the fetched files.
        shutil.copytree(source / "fixture" / "blosc", Path(folder) / "fixture" / "blosc")
        tests = source / "numcodecs" / "tests"
        files = [tests / "test_blosc.py", tests / "test_zarr3.py", tests / "test_registry.py"]
        return run_suite("numcodecs", files, "_numcodecs_plugin", NOT_APPLICABLE, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
