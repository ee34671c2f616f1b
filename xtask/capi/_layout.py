"""Compares the structures of libblosc2 and of its header with those of the original's header, and the functions."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

#: Structures of the header that the Rust code does not have yet.
HEADER_ONLY = {
    "blosc2_instr": "cratio cspeed filter_speed flags",
}
#: Fields that C-Blosc2 2.23 lacks.
NEWER = {
    "blosc2_schunk": {"flags2", "use_dict", "change_tick"},
    "b2nd_array_t": {"last_tick"},
    "blosc2_stdio_params": {"locking"},
}


def of_header(lines: list[str], include: Path, folder: Path, library: Path) -> list[str]:
    """Return the layout of the structures named in `lines` in the headers of a folder."""
    prints = []
    for line in lines:
        structure, member, _ = line.split()
        value = f"sizeof({structure})" if member == "-" else f"offsetof({structure}, {member})"
        prints.append(f'printf("{structure} {member} %zu\\n", {value});')
    source, program = folder / "layout.c", folder / "layout"
    headers = "#include <stddef.h>\n#include <stdio.h>\n#include <b2nd.h>\n"
    source.write_text(headers + "int main(void) {\n" + "\n".join(prints) + "\nreturn 0;\n}\n")
    subprocess.run(["cc", "-w", "-I", include, "-o", program, source, library, f"-Wl,-rpath,{library.parent}"], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def check_layout(library: Path, original: Path, ours: Path, folder: Path) -> list[str | None]:
    """Compare field by field. Return what differs, and None for what is equal."""
    shown = ctypes.CDLL(str(library)).blosc2_internal_layout
    shown.restype = ctypes.c_char_p
    lines = shown().decode().splitlines()
    others = [f"{name} {member} 0" for name, members in HEADER_ONLY.items() for member in [*members.split(), "-"]]
    expected = of_header([*lines, *others], original, folder, library)
    found = of_header([*lines, *others], ours, folder, library)
    pairs = [*zip(lines, expected), *zip(found, expected)]
    return [None if line == wanted else f"{line}, expected {wanted}" for line, wanted in pairs]


def declared(header: Path) -> set[str]:
    """Return the functions that a header declares as exported."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.DOTALL)
    return set(re.findall(r"BLOSC_EXPORT\b[^;(]*?(\w+)\s*\(", text))


def check_functions(exported: set[str], ours: Path, original: Path) -> list[str | None]:
    """Check that the library shows the functions of its headers, and that the original declares them all."""
    names = ("blosc2.h", "b2nd.h", "blosc2/blosc2-stdio.h")
    header, theirs = (set().union(*(declared(folder / name) for name in names)) for folder in (ours, original))
    absent = [f"{name} is declared, but not in the library" for name in sorted(header - exported)]
    unknown = [f"{name} is not in the original's header" for name in sorted(header - theirs)]
    internal = ("shuffle_", "unshuffle_", "blosc2_internal_")
    hidden = [f"{name} is not declared" for name in sorted(exported - header) if not name.startswith(internal)]
    wrong = [*absent, *unknown, *hidden]
    print(f"functions: {len(header)} of the {len(theirs)} in the original's headers")
    return [*wrong, *[None] * (len(header) - len(wrong))] if header else ["the header declares no functions"]


def check_older_header(library: Path, ours: Path, folder: Path) -> list[str | None]:
    """Compare our header for programs of C-Blosc2 2.23 with the original's, field by field."""
    fetch = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder / "older", "blosc2==4.0.0"]
    subprocess.run(fetch, check=True)
    code = (Path(__file__).resolve().parents[2] / "crates/blosc-capi/src/exports/blosc2/layout.rs").read_text()
    # `outer[fields]` are fields that C has without `outer`.
    layouts = re.findall(r'layout!\(text, \w+ as "(\w+)":([\w\s\[\]]+)\);', code)
    if len(layouts) != code.count("layout!(text,"):
        raise RuntimeError(f"of the structures only {[name for name, _ in layouts]} were understood")
    structures = [(name, re.sub(r"\w+\[|\]", " ", members)) for name, members in layouts]
    lines = [f"{name} {member} 0" for name, members in structures for member in members.split() if member not in NEWER.get(name, ())]
    # Fields that the original lacks are at the end of ours, and programs do not make these structures.
    lines += [f"{name} - 0" for name, members in structures if name not in NEWER]
    expected = of_header(lines, folder / "older" / "blosc2" / "include", folder, library)
    found = of_header(lines, ours, folder, library)
    return [None if line == wanted else f"{line}, expected {wanted}" for line, wanted in zip(found, expected, strict=True)]
