"""Decodes the malformed chunks of the golden data by the C functions, under valgrind.

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


def main() -> int:
    prefix = Path(sys.argv[1]).resolve()
    library = prefix / "lib"
    with tempfile.TemporaryDirectory() as name:
        program, data = Path(name) / "malformed", Path(name) / "chunks"
        data.write_bytes(b"".join(struct.pack("<I", len(chunk)) + chunk for chunk in chunks()))
        source = ROOT / "xtask" / "capi" / "malformed.c"
        build = ["cc", "-g", "-I", prefix / "include", "-o", program, source, library / "libblosc.so.1", f"-Wl,-rpath,{library}"]
        subprocess.run(build, check=True)
        command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]
        done = subprocess.run([*command, program, data], timeout=TIMEOUT, capture_output=True, text=True)
    print(done.stdout.strip())
    if done.returncode != 0:
        print("\n".join(line for line in done.stderr.splitlines() if line.startswith("=="))[-3000:])
    failed = done.returncode != 0
    print(f"valgrind: {1 - failed} passed, {int(failed)} failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
