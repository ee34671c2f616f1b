"""Runs the tests of PyTables, which are in its wheel, with the wheel's copy of libblosc2 and with ours in its place.

    client_tables.py PREFIX [--module NAME]

The library has the structures of C-Blosc2 2.23, with which the wheel is built. Its header is compared with that of
C-Blosc2 2.23, which is in the wheel of blosc2 4.0.0.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from _layout import check_older_header

#: The most seconds of a run, beside other load.
TIMEOUT = 7200
#: Prints the copies of libblosc2 that the extensions have loaded.
LOADED = "import tables, re; print(*set(re.findall(r'/\\S*libblosc2\\S*', open('/proc/self/maps').read())))"


@dataclass
class Result:
    """The result of all tests."""

    count: int
    skipped: int
    failed: list[str]

    def __str__(self) -> str:
        return f"{self.count} tests run, {self.skipped} of them skipped, {len(self.failed)} failures"


def replaced(library: Path, folder: Path) -> Path:
    """Return a folder with the packages of the wheel, in which every libblosc2 is `library`."""
    site = Path(sysconfig.get_path("platlib"))
    for name in ["tables", "tables.libs"]:
        shutil.copytree(site / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for copy in [path for path in folder.rglob("libblosc2*") if path.is_file()]:
        # Under the old name, which the extensions ask for. The loader does not compare it with the soname.
        shutil.copyfile(library, copy)
    return folder


def run(module: str, packages: Path | None, library: Path) -> Result:
    """Run the tests with the packages in a folder, or with the installed ones."""
    settings = {**os.environ, **({"PYTHONPATH": str(packages)} if packages else {})}
    with tempfile.TemporaryDirectory() as folder:
        place = {"cwd": folder, "env": settings, "capture_output": True, "text": True, "timeout": TIMEOUT}
        loaded = subprocess.run([sys.executable, "-c", LOADED], check=True, **place).stdout.split()
        ours = [path for path in loaded if Path(path).read_bytes() == library.read_bytes()]
        if len(ours) != (len(loaded) if packages else 0) or not loaded:
            raise RuntimeError(f"the extensions loaded {loaded}")
        done = subprocess.run([sys.executable, "-m", f"tables.tests.{module}"], **place)
    return parsed(done.stdout + done.stderr, done.returncode)


def parsed(output: str, code: int) -> Result:
    """Parse the summary of unittest. A failure is named by its class and by the function in the test's file."""
    count = re.search(r"^Ran (\d+) tests?", output, re.M)
    if not count:
        raise RuntimeError(f"the tests did not end (exit code {code}):\n{output[-2000:]}")
    skipped = re.search(r"^(?:OK|FAILED) .*\bskipped=(\d+)", output, re.M)
    parts = re.split(r"^(?:FAIL|ERROR): ", output, flags=re.M)[1:]
    places = [re.search(r"\btest_\w+\.py\", line \d+, in (\w+)", part) for part in parts]
    failed = [f"{part.splitlines()[0]} {place.group(1) if place else ''}" for part, place in zip(parts, places, strict=True)]
    return Result(int(count.group(1)), int(skipped.group(1)) if skipped else 0, sorted(failed))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=Path, help="where the library is installed")
    parser.add_argument("--module", default="test_all", help="only the tests of this module")
    options = parser.parse_args()
    library = options.prefix.resolve() / "lib" / "libblosc2.so.7"
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        fields = check_older_header(library, options.prefix.resolve() / "include", folder)
        packages = replaced(library, folder / "packages")
        original, ours = pool.map(lambda packages: run(options.module, packages, library), [None, packages])
    wrong = [field for field in fields if field]
    print(*(f"FAILED {field}" for field in wrong), sep="\n")
    print(f"layout of structures: {len(fields) - len(wrong)} passed, {len(wrong)} failed")
    print(f"PyTables with its libblosc2: {original}")
    print(f"PyTables with ours: {ours}")
    different = sorted(set(ours.failed) ^ set(original.failed))
    for test in different:
        print(f"FAILED only with {'ours' if test in ours.failed else 'the original'}: {test}")
    failed = len(different) + abs(ours.count - original.count) + abs(ours.skipped - original.skipped)
    print(f"PyTables: {ours.count - ours.skipped - len(ours.failed)} passed, {failed} failed, {ours.skipped} skipped")
    return int(bool(wrong) or failed > 0 or not ours.count)


if __name__ == "__main__":
    sys.exit(main())
