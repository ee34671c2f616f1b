"""Decodes the malformed chunks of the golden data by the functions of both C libraries, under valgrind.

    valgrind.py PREFIX
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The most seconds of the run, beside other load.
TIMEOUT = 600


def chunks() -> list[bytes]:
    """Return all malformed chunks."""
    with tarfile.open(ROOT / "testdata" / "chunks-malformed.tar.gz") as archive:
        files = {name: archive.extractfile(f"./{name}").read() for name in ["malformed.json", "malformed.bin"]}
    whole = files["malformed.bin"]
    items = json.loads(files["malformed.json"])["items"]
    return [whole[item["offset"] : item["offset"] + item["length"]] for item in items]


#: The programs, and the libraries that they call.
PROGRAMS = {"malformed": "libblosc.so.1", "malformed2": "libblosc2.so.9"}


def check(program: str, prefix: Path, data: Path) -> bool:
    """Run a program on the chunks. Return whether valgrind found nothing."""
    library, target = prefix / "lib" / PROGRAMS[program], data.with_name(program)
    source = ROOT / "xtask" / "capi" / f"{program}.c"
    build = ["cc", "-g", "-I", prefix / "include", "-o", target, source, library, f"-Wl,-rpath,{library.parent}"]
    subprocess.run(build, check=True)
    command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]
    done = subprocess.run([*command, target, data], timeout=TIMEOUT, capture_output=True, text=True)
    print(f"{program}: {done.stdout.strip()}")
    if done.returncode != 0:
        print("\n".join(line for line in done.stderr.splitlines() if line.startswith("=="))[-3000:])
    return done.returncode == 0


def main() -> int:
    prefix = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "chunks"
        data.write_bytes(b"".join(struct.pack("<I", len(chunk)) + chunk for chunk in chunks()))
        failed = sum(not check(program, prefix, data) for program in PROGRAMS)
    print(f"valgrind: {len(PROGRAMS) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
