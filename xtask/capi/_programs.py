"""The test programs of C-Blosc2: compiled against our headers and linked with our library."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

#: Macros that the original's CMake files define on a machine with AVX2.
DEFINED = ["-DBLOSC_TESTING", "-DSHUFFLE_SSE2_ENABLED", "-DSHUFFLE_AVX2_ENABLED"]
#: Programs that CMake leaves out on this processor.
OTHER_PROCESSORS = ["neon", "altivec"] if platform.machine() in ("x86_64", "AMD64") else ["sse2", "avx2", "altivec"]
#: Macros that a program is compiled without. The hook of this one makes C-Blosc2's second read of a header fail once.
UNDEFINED = {"test_frame_lock": ["-UBLOSC_TESTING"]}
#: Why a program cannot pass yet.
NO_CODEC = "compresses with a codec that is only read, or not there"

#: Programs that do not pass, and why.
INTERNAL = {
    "test_b2nd_resize": "expects that few old indices stay in a file that grows",
    "test_change_nthreads_append": "writes a field of a context, past the end of ours",
    "test_dict_schunk": "expects a dictionary in a chunk of 11 KB, where the encoder makes none",
    "test_frame": "reads the fields of a frame",
    "test_frame_get_offsets": "expects that no old index is between the chunks of a file",
    "test_ndlz": NO_CODEC,
    "test_schunk_get_sparse": "expects that the program's threads copy items",
    "test_urfilter_delta": "puts delta after a filter that changes bytes, which is refused",
    "test_vlblocks": "changes the trailer of a lazy chunk, which has all its blocks here",
    "test_shared_pool": "reads the fields of a context",
    "test_shared_thread_pool": "reads the fields of a context",
    "test_zfp_acc_float": NO_CODEC,
    "test_zfp_prec_float": NO_CODEC,
    "test_zfp_rate_float": NO_CODEC,
    "test_zfp_rate_getitem": NO_CODEC,
}
#: Functions that neither C-Blosc2 nor the C library has.
FROM_COMPILER = ("__", "_GLOBAL", "_ITM")


@dataclass
class Program:
    """A test program: its file, other files, and why it does not run."""

    source: Path
    more: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def name(self) -> str:
        return self.source.stem

    @property
    def target(self) -> Path:
        return self.source.with_suffix("")

    @property
    def excluded(self) -> str:
        """Return why the program is not applicable, or nothing."""
        return INTERNAL.get(self.name) or ("calls internal functions" if self.missing else "")

    def rows(self) -> list[list[str]]:
        """Return the parameters of each run: a row of the table beside the program, or none."""
        table = self.source.with_suffix(".csv")
        if not table.is_file():
            return [[]]
        # CMake turns commas into spaces and splits like a shell.
        lines = table.read_text().splitlines()[1:]
        return [shlex.split(line.replace(",", " ")) for line in lines if line.strip()]


def arrange(source: Path, prefix: Path, folder: Path) -> None:
    """Put the programs and the headers where the programs look for them."""
    for part in ["tests", "compat", "plugins"]:
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
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def of_system() -> set[str]:
    """Return the functions of the C library."""
    names: set[str] = set()
    for library in ["libc.so.6", "libm.so.6", "libpthread.so.0"]:
        found = subprocess.run(["cc", f"-print-file-name={library}"], capture_output=True, text=True, check=True).stdout.strip()
        names |= exported(Path(found)) if Path(found).is_file() else set()
    return names


def build(program: Program, original: Path, folder: Path, known: set[str], library: Path) -> Program:
    """Compile and link a program, unless it calls functions other than the known ones."""
    undefined = UNDEFINED.get(program.name, [])
    compile_ = ["cc", "-O1", "-w", *DEFINED, *undefined, "-c", program.source, "-o", program.source.with_suffix(".o")]
    theirs = ["-I", original / "blosc", "-I", original / "include", "-I", folder / "blosc", "-I", folder]
    program.error = attempt("compile against the original's header", [*compile_, *theirs])
    if program.error:
        return program
    names = subprocess.run(["nm", "-u", program.source.with_suffix(".o")], capture_output=True, text=True, check=True).stdout
    called = {line.split()[-1].split("@")[0] for line in names.splitlines()}
    program.missing = sorted(name for name in called - known if not name.startswith(FROM_COMPILER))
    if not program.excluded:
        # The same again, with our headers only, which must declare every function.
        ours = [*compile_, "-Werror=implicit-function-declaration", "-I", folder / "blosc"]
        link = ["cc", "-o", program.target, program.source.with_suffix(".o"), *program.more, library]
        link += [f"-Wl,-rpath,{library.parent}", "-lm", "-lpthread", "-ldl"]
        program.error = attempt("compile against our header", ours) or attempt("link", link)
    return program


def attempt(what: str, command: list) -> str:
    """Run a compiler. Return what failed, or nothing."""
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"it does not {what}:\n{done.stderr[-1000:]}"
