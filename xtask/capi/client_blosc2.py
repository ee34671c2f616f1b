"""Compares python-blosc2, built from its source distribution on our library, with its untouched wheel.

    client_blosc2.py PREFIX [--operations COUNT] [--seed SEED] [--tests]

Both sides do the same random operations and read each other's files. With --tests they also run the tests of the source
distribution: each test must have the same result on both sides, except for those in DIFFERENT.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "python"))
import _extension  # noqa: E402
from _fetch import sdist  # noqa: E402

VERSION = "4.14.1"
OPERATIONS = Path(__file__).with_name("_operations.py")
#: The options of the tests, as their configuration has them without plugins.
SUITE = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-o", "addopts="]
SUITE += ["-m", "not network and not heavy and not tui", "tests"]
#: Tests that pass with the wheel only: their result here, and the difference in docs/c-abi.md that they find.
LOSSY = "tests.ndarray.test_lossy.test_lossy"
CODECS = "codecs ZFP and NDLZ"
DIFFERENT = {
    "tests.test_schunk.test_get_lazychunk_sections": ("failed", "`blosc2_schunk_get_lazychunk`"),
    f"{LOSSY}[shape0-float32-cparams0-None-False]": ("skipped", CODECS),
    f"{LOSSY}[shape1-float64-cparams1-None-False]": ("skipped", CODECS),
    f"{LOSSY}[shape2-float64-cparams2-lossy.b2nd-True]": ("skipped", CODECS),
    f"{LOSSY}[shape3-float32-cparams3-lossy.b2nd-False]": ("skipped", CODECS),
}
#: The most seconds of a process, beside other load.
TIMEOUT = 7200
#: Prints the library with the functions that the extension calls.
LOADED = "import blosc2, re; print(*set(re.findall(r'/\\S*libblosc2\\S*', open('/proc/self/maps').read())))"


class Side:
    """One side of the comparison: an interpreter and the package that it imports."""

    def __init__(self, name: str, folder: Path, package: Path | None) -> None:
        self.name = name
        self.folder = folder / name
        self.folder.mkdir()
        self.environment = {**os.environ, **({"PYTHONPATH": str(package)} if package else {})}

    def run(self, *arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess:
        """Run the interpreter."""
        settings = {"env": self.environment, "cwd": cwd or self.folder, "timeout": TIMEOUT}
        return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, **settings)

    def operations(self, *arguments: object) -> list[str]:
        """Return a line for the result of each operation, and one for the end of the process."""
        done = self.run("-X", "faulthandler", OPERATIONS, *arguments)
        end = f"exit code {done.returncode} {done.stderr[-1000:] if done.returncode else ''}".strip()
        return [*done.stdout.splitlines(), end]

    def tests(self, source: Path) -> dict[str, str]:
        """Run the tests. Return the result of each: passed, skipped or failed."""
        place = self.folder / "suite"
        place.mkdir()
        for name in ["conftest.py", "pytest.ini"]:
            shutil.copy(source / name, place)
        shutil.copytree(source / "tests", place / "tests")
        done = self.run(*SUITE, f"--junitxml={self.folder / 'tests.xml'}", cwd=place)
        print(f"{self.name}: {done.stdout.strip().splitlines()[-1]}")
        if not (self.folder / "tests.xml").is_file():
            raise RuntimeError(f"the tests did not end (exit code {done.returncode}):\n{(done.stdout + done.stderr)[-2000:]}")
        return {f"{case.get('classname')}.{case.get('name')}": result(case) for case in ElementTree.parse(self.folder / "tests.xml").iter("testcase")}


def result(case: ElementTree.Element) -> str:
    """Return the result of a test."""
    if case.find("skipped") is not None:
        return "skipped"
    return "passed" if case.find("failure") is None and case.find("error") is None else "failed"


def compare(what: str, expected: list[str], found: list[str]) -> int:
    """Compare lines. Print the first differences and the counts, and return the number of differences."""
    pairs = list(zip_longest(expected, found))
    different = [(wanted, line) for wanted, line in pairs if wanted != line]
    for wanted, line in different[:10]:
        print(f"FAILED {what}: {line}\n  expected {wanted}")
    failed = len(different)
    print(f"{what}: {len(pairs) - failed} passed, {failed} failed")
    return failed


def compare_operations(theirs: Side, ours: Side, count: int, seed: int) -> int:
    """Compare the results of random operations, and what each side reads in the other's files."""
    with ThreadPoolExecutor(2) as pool:
        def both(*work: tuple) -> list[list[str]]:
            return list(pool.map(lambda side, arguments: side.operations(*arguments), (theirs, ours), work))

        written = theirs.folder / "files", ours.folder / "files"
        failed = compare("operations", *both(*(("run", count, seed, folder) for folder in written)))
        own, others = both(*[("read", written[0])] * 2), both(*[("read", written[1])] * 2)
    failed += compare("files of the wheel", *own) + compare("files of ours", *others)
    # The wheel leaves parts of arrays that it could not create.
    written = [[line for line in read[0] if not line.endswith("RuntimeError")] for read in (own, others)]
    return failed + compare("files of both sides", *written)


def compare_tests(theirs: Side, ours: Side) -> int:
    """Compare the results of the tests of the source distribution."""
    source = sdist("blosc2", VERSION)
    with ThreadPoolExecutor(2) as pool:
        expected, found = pool.map(lambda side: side.tests(source), (theirs, ours))
    for side, results in ((theirs, expected), (ours, found)):
        print(f"{side.name}: {dict(Counter(results.values()))}")
    documented = (ROOT / "docs" / "c-abi.md").read_text()
    for name, (outcome, difference) in DIFFERENT.items():
        if f"| {difference} |" not in documented:
            raise RuntimeError(f"docs/c-abi.md does not have the difference {difference}")
        expected[name] = outcome if expected.get(name) == "passed" else f"not passed: {expected.get(name)}"
    names = sorted(expected | found)
    lines = [[f"{name} {results.get(name, 'missing')}" for name in names] for results in (expected, found)]
    print(f"tests with other results, as documented: {len(DIFFERENT)}")
    return compare("tests", *lines)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=Path, help="where the library is installed")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", action="store_true", help="also the tests of the source distribution")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = folder / "built"
        built.mkdir()
        theirs = Side("wheel", folder, None)
        ours = Side("ours", folder, _extension.build(sdist("blosc2", VERSION), options.prefix.resolve(), built))
        loaded = [side.run("-c", LOADED).stdout.split() for side in (theirs, ours)]
        if loaded != [[], [str((options.prefix / "lib" / "libblosc2.so").resolve())]]:
            raise RuntimeError(f"the extensions loaded {loaded}")
        failed = compare_operations(theirs, ours, options.operations, options.seed)
        if options.tests:
            failed += compare_tests(theirs, ours)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
