"""Runs C-Blosc's own tests on our library, as its CMake files list them.

    cblosc.py PREFIX [--quick]

The tests are in the source distribution of numcodecs, which is fetched and used unchanged. A program includes
`../blosc/blosc.h`: that is our header. The headers of internal functions, which three programs call, are the original's.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "python"))
from _fetch import sdist  # noqa: E402

#: Macros that the original's CMake files define.
DEFINED = ["-DBLOSC_TESTING", "-DSHUFFLE_SSE2_ENABLED"]
#: The most seconds of one test, beside other load.
TIMEOUT = 600
#: The runs of the benchmark program that CMake adds by default.
BENCH = [
    *[f"{codec} {shuffle} test 1" for shuffle in ["shuffle", "bitshuffle"] for codec in ["blosclz", "lz4", "snappy"]],
    *[f"{codec} shuffle test" for codec in ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]],
    *[f"{codec} bitshuffle test" for codec in ["blosclz", "lz4", "snappy"]],
]


def arrange(source: Path, include: Path, folder: Path) -> None:
    """Put the programs and the headers where the programs look for them."""
    for part in ["tests", "bench", "compat"]:
        shutil.copytree(source / part, folder / part)
    (folder / "blosc").mkdir()
    # Headers of internal functions come first, so that ours replace the others.
    for header in [*(source / "blosc").glob("*.h"), *include.glob("*.h")]:
        shutil.copy(header, folder / "blosc")


def build(program: Path, library: Path, *more: Path) -> Path:
    """Compile a program against our header and link it with our library."""
    target = program.with_suffix("")
    command = ["cc", "-O1", "-w", *DEFINED, "-I", str(library.parents[1] / "blosc"), "-o", target, program, *more, library]
    done = subprocess.run([*command, "-lm", "-lpthread", "-ldl", f"-Wl,-rpath,{library.parent}"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} does not compile:\n{done.stderr}")
    return target


def rows(program: Path) -> list[list[str]]:
    """Return the parameters of each run: a row of the table beside the program, or none."""
    table = program.with_suffix(".csv")
    if not table.is_file():
        return [[]]
    # CMake turns commas into spaces and splits like a shell.
    lines = table.read_text().splitlines()[1:]
    return [shlex.split(line.replace(",", " ")) for line in lines if line.strip()]


def cases(folder: Path, shared: Path, static: Path, pool: ThreadPoolExecutor) -> list[list[str]]:
    """Return the commands of all tests, in the order of the original's folders."""
    programs = sorted((folder / "tests").glob("test_*.c"))
    targets = pool.map(lambda program: build(program, shared), programs)
    commands = [[str(target), *row] for target, program in zip(targets, programs) for row in rows(program)]
    for library in [shared, static]:
        commands.append([sys.executable, str(folder / "tests" / "check_symbols.py"), str(library)])
    chunks = [str(chunk) for chunk in sorted((folder / "compat").glob("*.cdata"))]
    filegen = str(build(folder / "compat" / "filegen.c", shared))
    commands += [[filegen, "decompress", chunk] for chunk in chunks]
    fuzz = folder / "tests" / "fuzz"
    # CMake links these with the static library.
    commands += [[str(build(program, static, fuzz / "standalone.c")), *chunks] for program in sorted(fuzz.glob("fuzz_*.c"))]
    bench = str(build(folder / "bench" / "bench.c", shared))
    return commands + [[bench, *arguments.split()] for arguments in BENCH]


def run(folder: Path, command: list[str]) -> str | None:
    """Run one test, which may leave files in `folder`. Return what failed, or None."""
    name = " ".join([Path(command[0]).name, *command[1:]])[:200]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"{name}: no end after {TIMEOUT} s"
    if done.returncode != 0:
        return f"{name}: exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=Path, help="where the library, built with the feature `testing`, is installed")
    parser.add_argument("--quick", action="store_true", help="leave out the runs of the benchmark program")
    options = parser.parse_args()
    source = sdist("numcodecs", "0.16.6") / "c-blosc"
    library = options.prefix.resolve() / "lib"
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        arrange(source, options.prefix / "include", folder)
        # Programs find the headers beside the library.
        shutil.copytree(library, folder / "lib", symlinks=True)
        commands = cases(folder, folder / "lib" / "libblosc.so.1", folder / "lib" / "libblosc.a", pool)
        if options.quick:
            commands = [command for command in commands if Path(command[0]).name != "bench"]
        failures = [failure for failure in pool.map(partial(run, folder), commands) if failure]
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    print(f"C-Blosc's tests: {len(commands) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
