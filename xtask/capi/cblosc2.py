"""Runs C-Blosc2's own tests on our library, as its CMake file lists them.

    cblosc2.py PREFIX [--quick]

The tests are in the source distribution of hdf5plugin, which is fetched and used unchanged. Programs are compiled against
our headers; a program that calls functions which the library does not have yet is not applicable. The headers of
internal functions, which a few programs include, are the original's.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "python"))
from _fetch import sdist  # noqa: E402

#: Macros that the original's CMake files define on a machine with AVX2.
DEFINED = ["-DBLOSC_TESTING", "-DSHUFFLE_SSE2_ENABLED", "-DSHUFFLE_AVX2_ENABLED"]
#: The most seconds of one test, beside other load.
TIMEOUT = 600
#: Programs that CMake leaves out on other processors.
OTHER_PROCESSORS = ["neon", "altivec"] if platform.machine() in ("x86_64", "AMD64") else ["sse2", "avx2", "altivec"]
#: Programs that cannot pass with another implementation, and why.
INTERNAL = {
    "test_shared_pool": "reads the fields of a context",
    "test_shared_thread_pool": "reads the fields of a context",
}


@dataclass
class Program:
    """A test program: its file, its object, and the functions that the library lacks."""

    source: Path
    object: Path
    missing: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def name(self) -> str:
        return self.source.stem


def arrange(source: Path, prefix: Path, folder: Path) -> None:
    """Put the programs and the headers where the programs look for them."""
    for part in ["tests", "compat"]:
        shutil.copytree(source / part, folder / part)
    # Headers of internal functions come first, so that ours replace the others.
    for headers in [source / "blosc", source / "include"]:
        shutil.copytree(headers, folder / "blosc", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.c"))
    shutil.copytree(prefix / "include", folder / "blosc", dirs_exist_ok=True)
    (folder / "blosc" / "config.h").touch()
    shutil.copytree(prefix / "lib", folder / "lib", symlinks=True, ignore=shutil.ignore_patterns("hdf5"))


def exported(library: Path) -> set[str]:
    """Return the functions that a shared library shows."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def compile_program(source: Path, original: Path, folder: Path, functions: set[str]) -> Program:
    """Compile a program against our headers, unless it calls functions that the library does not have."""
    program = Program(source, source.with_suffix(".o"))
    command = ["cc", "-O1", "-w", *DEFINED, "-I", source.parent, "-o", program.object, "-c", source]
    both = [original / "blosc", original / "include", folder / "blosc"]
    done = subprocess.run([*command, *(f"-I{path}" for path in both)], capture_output=True, text=True)
    if done.returncode != 0:
        program.error = f"it does not compile against the original's header:\n{done.stderr[-1000:]}"
        return program
    names = subprocess.run(["nm", "-u", program.object], capture_output=True, text=True, check=True).stdout
    called = {line.split()[-1].split("@")[0] for line in names.splitlines()}
    foreign = {name for name in called if name in LIBC or name.startswith("__") or name.startswith("_GLOBAL")}
    program.missing = sorted(called - functions - foreign)
    if not program.missing and program.name not in INTERNAL:
        # The same again, with our headers only, and no function may be missing from them.
        ours = [*command, "-Werror=implicit-function-declaration", f"-I{folder / 'blosc'}"]
        done = subprocess.run(ours, capture_output=True, text=True)
        program.error = "" if done.returncode == 0 else f"it does not compile against our header:\n{done.stderr[-1000:]}"
    return program


def libc() -> set[str]:
    """Return the functions of the C library."""
    names: set[str] = set()
    for library in ["libc.so.6", "libm.so.6", "libpthread.so.0"]:
        found = subprocess.run(["cc", f"-print-file-name={library}"], capture_output=True, text=True, check=True).stdout.strip()
        if Path(found).is_file():
            names |= {name.split("@")[0] for name in exported(Path(found))}
    return names


LIBC = libc()


def rows(program: Path) -> list[list[str]]:
    """Return the parameters of each run: a row of the table beside the program, or none."""
    table = program.with_suffix(".csv")
    if not table.is_file():
        return [[]]
    # CMake turns commas into spaces and splits like a shell.
    lines = table.read_text().splitlines()[1:]
    return [shlex.split(line.replace(",", " ")) for line in lines if line.strip()]


def link(program: Program, library: Path) -> str:
    """Link a program with the library. Return what failed."""
    command = ["cc", "-o", program.source.with_suffix(""), program.object, library, f"-Wl,-rpath,{library.parent}"]
    done = subprocess.run([*command, "-lm", "-lpthread", "-ldl"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"it does not link:\n{done.stderr[-1000:]}"


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


#: Structures of the headers that the Rust code does not have yet.
HEADER_ONLY = {
    "blosc2_instr": "cratio cspeed filter_speed flags",
    "blosc2_metalayer": "name content content_len",
    "blosc2_schunk": "version compcode compcode_meta clevel splitmode typesize blocksize chunksize flags2 use_dict filters "
    "filters_meta nchunks current_nchunk nbytes cbytes data data_len storage frame cctx dctx metalayers nmetalayers "
    "vlmetalayers nvlmetalayers tuner_params tuner_id ndim blockshape view change_tick",
    "blosc2_stdio_file": "file",
    "blosc2_stdio_params": "locking",
}


def layout(lines: list[str], include: Path, folder: Path) -> list[str]:
    """Return the layout of the structures named in `lines` in the headers of a folder."""
    prints = []
    for line in lines:
        structure, member, _ = line.split()
        value = f"sizeof({structure})" if member == "-" else f"offsetof({structure}, {member})"
        prints.append(f'printf("{structure} {member} %zu\\n", {value});')
    source, program = folder / "layout.c", folder / "layout"
    source.write_text(
        '#include <stddef.h>\n#include <stdio.h>\n#include "blosc2.h"\nint main(void) {\n' + "\n".join(prints) + "\nreturn 0;\n}\n"
    )
    subprocess.run(["cc", "-w", "-I", include, "-o", program, source], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def check_layout(library: Path, original: Path, ours: Path, folder: Path) -> list[str | None]:
    """Compare the structures of the library and of our header with those of the original, field by field."""
    shown = ctypes.CDLL(str(library)).blosc2_internal_layout
    shown.restype = ctypes.c_char_p
    lines = shown().decode().splitlines()
    others = [f"{name} {member} 0" for name, members in HEADER_ONLY.items() for member in [*members.split(), "-"]]
    expected = layout([*lines, *others], original, folder)
    found = layout([*lines, *others], ours, folder)
    pairs = [*zip(lines, expected), *zip(found, expected)]
    return [None if line == wanted else f"{line}, expected {wanted}" for line, wanted in pairs]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=Path, help="where the library, built with the feature `testing`, is installed")
    parser.add_argument("--quick", action="store_true", help="for other scripts; all tests run")
    parser.add_argument("--only", default="", help="only programs with this in their name")
    options = parser.parse_args()
    original = sdist("hdf5plugin", "7.1.0") / "lib" / "c-blosc2"
    prefix = options.prefix.resolve()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        arrange(original, prefix, folder)
        library = folder / "lib" / "libblosc2.so.9"
        functions = exported(library)
        tests = folder / "tests"
        sources = sorted([*tests.glob("test_*.c"), *tests.glob("b2nd/test_*.c"), tests / "fuzz" / "generate_inputs_corpus.c"])
        sources = [path for path in sources if path.stem.split("_")[-1] not in OTHER_PROCESSORS and options.only in path.stem]
        programs = list(pool.map(lambda path: compile_program(path, original, folder, functions), sources))
        excluded, failures, commands = Counter(), [], []
        missing: Counter[str] = Counter()
        for program in programs:
            entries = rows(program.source)
            if program.missing or program.name in INTERNAL:
                reason = INTERNAL.get(program.name, "calls functions that are not there yet")
                excluded[reason] += len(entries)
                missing.update(program.missing)
                continue
            error = program.error or link(program, library)
            if error:
                failures += [f"{program.name}: {error}"] * len(entries)
                continue
            commands += [[str(program.source.with_suffix("")), *row] for row in entries]
        done = [*failures, *pool.map(lambda command: run(command, {}), commands)]
        report("C-Blosc2's tests", done, f", {sum(excluded.values())} not applicable, of {len(failures + commands) + sum(excluded.values())}")
        threads = [command for command in commands if len(command) == 1 and takes_callback(Path(command[0]))]
        again = list(pool.map(lambda command: run(command, {"BLOSC_TEST_CALLBACK": "yes"}), threads))
        report("the same with a threads callback", again)
        layouts = [] if options.only else check_layout(library, original / "include", prefix / "include", folder)
        report("layout of structures", layouts)
    for reason, count in excluded.items():
        print(f"not applicable: {count} entries: {reason}")
    if missing:
        print(f"functions that are not there: {len(missing)}, used most: {', '.join(name for name, _ in missing.most_common(5))}")
    return 1 if any([*done, *again, *layouts]) else 0


def report(what: str, results: list[str | None], more: str = "") -> None:
    """Print failures and counts."""
    failures = [failure for failure in results if failure]
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    print(f"{what}: {len(results) - len(failures)} passed, {len(failures)} failed{more}")


def takes_callback(program: Path) -> bool:
    """Return whether a program sets a threads callback if an environment variable asks for it."""
    return "install_blosc_callback_test" in program.with_suffix(".c").read_text()


if __name__ == "__main__":
    sys.exit(main())
