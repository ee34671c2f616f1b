"""Compares the structures of libblosc2 and of its header with those of the original's header, and the functions."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

#: Structures of the header that the Rust code does not have yet.
HEADER_ONLY = {
    "blosc2_instr": "cratio cspeed filter_speed flags",
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
