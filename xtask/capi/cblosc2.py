"""Runs C-Blosc2's own tests on our library, as its CMake files list them.

    cblosc2.py PREFIX [--quick] [--only NAME]

The tests are in the source distribution of hdf5plugin, which is fetched and used unchanged: the test programs with their
tables, the chunks of older versions, the fuzz programs on these, and the tests of plugins. A program that calls functions
which the library does not have is not applicable. The headers of internal functions, which a few programs include, are
the original's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "python"))
from _fetch import sdist  # noqa: E402
from _layout import check_functions, check_layout  # noqa: E402
from _programs import OTHER_PROCESSORS, Program, arrange, build, exported, of_system  # noqa: E402

#: The most seconds of one test, beside other load.
TIMEOUT = 600
#: The operation of the program for chunks of older versions on files whose name starts like this.
OPERATIONS = {"bitshuffle": "bitunshuffle", "shuffle": "unshuffle"}


def programs(folder: Path, only: str) -> list[Program]:
    """Return all test programs, in the order of the original's folders."""
    tests = folder / "tests"
    corpus = tests / "fuzz" / "generate_inputs_corpus.c"
    sources = [*sorted(tests.glob("test_*.c")), *sorted(tests.glob("b2nd/test_*.c")), corpus]
    sources += [folder / "compat" / "filegen.c", *sorted((folder / "plugins").rglob("test_*.c"))]
    found = [Program(path) for path in sources if path.stem.split("_")[-1] not in OTHER_PROCESSORS]
    found += [Program(path, [tests / "fuzz" / "standalone.c"]) for path in sorted((tests / "fuzz").glob("fuzz_*.c"))]
    return [program for program in found if only in program.name]


def entries(program: Program, folder: Path) -> list[list[str]]:
    """Return the commands of a program, one for each test of CMake."""
    chunks = sorted((folder / "compat").glob("*.cdata"))
    if program.more:
        return [[str(program.target), *map(str, chunks)]]
    if program.name == "filegen":
        names = [(OPERATIONS.get(chunk.name.split("-")[0], "decompress"), str(chunk)) for chunk in chunks]
        return [[str(program.target), *pair] for pair in names]
    return [[str(program.target), *row] for row in program.rows()]


def run(command: list[str], environment: dict[str, str]) -> str | None:
    """Run one test in a folder of its own. Return what failed, or None."""
    name = " ".join([Path(command[0]).name, *command[1:]])[:200]
    with tempfile.TemporaryDirectory() as folder:
        try:
            settings = {"cwd": folder, "env": {**os.environ, **environment}}
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, **settings)
        except subprocess.TimeoutExpired:
            return f"{name}: no end after {TIMEOUT} s"
    if done.returncode != 0:
        output = (done.stdout[-300:] + done.stderr[-300:]).decode(errors="replace")
        return f"{name}: exit code {done.returncode}: {output}"
    return None


def report(what: str, results: list[str | None], more: str = "") -> bool:
    """Print failures and counts. Return whether there are failures."""
    failures = [failure for failure in results if failure]
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    print(f"{what}: {len(results) - len(failures)} passed, {len(failures)} failed{more}")
    return bool(failures)


def takes_callback(program: Path) -> bool:
    """Return whether a program sets a threads callback if an environment variable asks for it."""
    return "install_blosc_callback_test" in program.with_suffix(".c").read_text()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=Path, help="where the library, built with the feature `testing`, is installed")
    parser.add_argument("--quick", action="store_true", help="for other scripts; all tests run")
    parser.add_argument("--only", default="", help="only programs with this in their name")
    options = parser.parse_args()
    original = sdist("hdf5plugin", "7.1.0") / "lib" / "c-blosc2"
    include = options.prefix.resolve() / "include"
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        arrange(original, options.prefix.resolve(), folder)
        library = folder / "lib" / "libblosc2.so.9"
        functions = exported(library)
        known = functions | of_system() | {"LLVMFuzzerTestOneInput"}

        def built(program: Program) -> Program:
            # CMake links fuzz programs with the static library.
            return build(program, original, folder, known, folder / "lib" / "libblosc2.a" if program.more else library)

        excluded, missing, failures, commands = Counter(), Counter(), [], []
        for program in pool.map(built, programs(folder, options.only)):
            tests = entries(program, folder)
            if program.error:
                failures += [f"{program.name}: {program.error}"] * len(tests)
            elif program.excluded:
                excluded[program.excluded] += len(tests)
                missing.update(program.missing)
            else:
                commands += tests
        total = len(failures) + len(commands) + sum(excluded.values())
        done = [*failures, *pool.map(lambda command: run(command, {}), commands)]
        failed = report("C-Blosc2's tests", done, f", {sum(excluded.values())} not applicable, of {total} entries")
        threads = [command for command in commands if len(command) == 1 and takes_callback(Path(command[0]))]
        again = list(pool.map(lambda command: run(command, {"BLOSC_TEST_CALLBACK": "yes"}), threads))
        failed |= report("the same with a threads callback", again)
        failed |= report("layout of structures", check_layout(library, original / "include", include, folder))
        failed |= report("functions", check_functions(functions, include, original / "include"))
    for reason, count in excluded.items():
        print(f"not applicable: {count} entries: {reason}")
    if missing:
        print(f"functions that are not there: {len(missing)}, used most: {', '.join(name for name, _ in missing.most_common(5))}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
