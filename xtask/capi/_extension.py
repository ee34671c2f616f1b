"""Builds the extension of python-blosc2 from its source distribution, linked with the library of a prefix.

The wheel's extension has C-Blosc2 inside. The built one takes it from the library that pkg-config names, as a build with
USE_SYSTEM_BLOSC2 does. Its compute engine, miniexpr, is not in the source distribution: its functions come from the wheel's
extension, and its header is made from the declarations in the source.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import blosc2
import numpy

#: The wheel's extension, under the name by which the built one links it.
ENGINE = "libwheel-extension.so"
#: The other header of the engine: the type of an array's items.
NUMPY_TYPES = """\
#include <numpy/ndarraytypes.h>
static inline me_dtype me_dtype_from_numpy(int number) {
  switch (number) {
%s
  default: return ME_AUTO;
  }
}
"""
TYPES = {
    **{name: name for name in ["BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]},
    **{name: name for name in ["FLOAT32", "FLOAT64", "COMPLEX64", "COMPLEX128"]},
    "UNICODE": "STRING",
    "STRING": "BYTES",
}


def build(source: Path, prefix: Path, folder: Path) -> Path:
    """Return a folder with the package `blosc2` of the wheel, with an extension linked with the library in `prefix`."""
    package = folder / "blosc2"
    shutil.copytree(Path(blosc2.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (wheels,) = package.glob("blosc2_ext.*.so")
    wheels.rename(package / ENGINE)
    code = source / "src" / "blosc2"
    work = folder / "build"
    work.mkdir()
    declarations = (code / "blosc2_ext.pyx").read_text()
    (work / "miniexpr.h").write_text(header(declarations))
    cases = [f"  case NPY_{numpy_name}: return ME_{name};" for numpy_name, name in TYPES.items()]
    (work / "miniexpr_numpy.h").write_text(NUMPY_TYPES % "\n".join(cases))
    run([sys.executable, "-m", "cython", "-3", code / "blosc2_ext.pyx", "-o", work / "blosc2_ext.c"])
    settings = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "blosc2 >= 3.3.0"], env=settings, check=True, capture_output=True, text=True)
    folders = [work, code, numpy.get_include(), sysconfig.get_path("include")]
    target = package / f"blosc2_ext{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = ["cc", "-O1", "-w", "-shared", "-fPIC", "-o", target, work / "blosc2_ext.c", code / "matmul_kernels.c"]
    command += [part for path in folders for part in ["-I", path]] + flags.stdout.split()
    run([*command, f"-L{package}", f"-l:{ENGINE}", f"-Wl,-rpath,{prefix / 'lib'}", "-Wl,-rpath,$ORIGIN", "-Wl,-z,now"])
    return folder


def run(command: list) -> None:
    """Run a tool, and show its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} failed:\n{done.stderr[-3000:]}")


def header(source: str) -> str:
    """Return the engine's declarations of a Cython file as a C header."""
    block = re.search(r'^cdef extern from "miniexpr.h":\n(.*?)^\S', source, re.S | re.M).group(1)
    block = re.sub(r"#.*", "", block).replace(" nogil", "").replace("c_bool", "bool").replace("bint", "bool")
    lines = ["#pragma once", "#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    for item in re.split(r"\n(?=    \S)", block):
        kind, _, rest = item.strip().partition(" ")
        names = [name.strip(" ,") for name in item.strip().splitlines()[1:]]
        name = item.split(":")[0].split()[-1] if ":" in item else ""
        match kind, rest.split(" ")[0]:
            case "ctypedef", "enum":
                # The numbers of errors are negative.
                values = [f"{value} = {-number if '_ERR_' in value else number}" for number, value in enumerate(filter(None, names))]
                lines.append(f"typedef enum {{ {', '.join(values)} }} {name};")
            case "ctypedef", "struct":
                lines.append(f"typedef struct {name} {name}; struct {name} {{ {' '.join(field + ';' for field in names if field)} }};")
            case "ctypedef", _:
                lines.append(f"typedef {' '.join(rest.split())};")
            case _ if item.strip():
                lines.append(f"{' '.join(item.split())};")
    return "\n".join(lines) + "\n"
