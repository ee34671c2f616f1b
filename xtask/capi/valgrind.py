"""Reads malformed chunks and frames by the functions of both C libraries, under valgrind.

    valgrind.py PREFIX

They are those of the golden data, and arrays with changed bytes in the header, which has the shape.
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
TIMEOUT = 1800


def chunks() -> list[bytes]:
    """Return all malformed chunks."""
    with tarfile.open(ROOT / "testdata" / "chunks-malformed.tar.gz") as archive:
        files = {name: archive.extractfile(f"./{name}").read() for name in ["malformed.json", "malformed.bin"]}
    whole = files["malformed.bin"]
    items = json.loads(files["malformed.json"])["items"]
    return [whole[item["offset"] : item["offset"] + item["length"]] for item in items]


def damaged(frame: bytes, changes: list[list]) -> bytes:
    """Return a frame after the changes that the golden data lists."""
    for name, *arguments in changes:
        match name, arguments:
            case "trunc", [length]:
                frame = frame[:length]
            case "append", [digits]:
                frame += bytes.fromhex(digits)
            case "set", [offset, digits]:
                new = bytes.fromhex(digits)
                frame = frame[:offset] + new + frame[offset + len(new) :]
            case _:
                raise ValueError(f"unknown change {name!r}")
    return frame


def frames() -> list[bytes]:
    """Return malformed frames that are one file, and arrays with a changed byte in the header."""
    with tarfile.open(ROOT / "testdata" / "frames.tar.gz") as archive:
        files = {member.name.removeprefix("./"): archive.extractfile(member).read() for member in archive if member.isfile()}
    items = json.loads(files["manifest.json"])["malformed"]
    # Of the frames that are made by a list of changes, each tenth one.
    items = [item for item in items if "path" in item] + [item for item in items if "base" in item][::10]
    found = [damaged(files[name], item.get("ops", [])) for item in items if (name := item.get("base") or item["path"]) in files]
    for name in ARRAYS:
        whole = files[name]
        header = int.from_bytes(whole[11:15], "big")
        found += [damaged(whole, [["set", at, f"{whole[at] ^ flip:02x}"]]) for at in range(header) for flip in FLIPS]
    return found


#: Arrays, and what changes a byte of them.
ARRAYS = ["frames/b2nd_015_i4_13x17.b2nd", "frames/b2nd_084_rec_2x3x2x2.b2nd"]
FLIPS = [0x01, 0x80, 0xFF]
#: The programs, the libraries that they call, and what they read.
PROGRAMS = {
    "malformed": ("libblosc.so.1", chunks),
    "malformed2": ("libblosc2.so.9", chunks),
    "malformed_frames": ("libblosc2.so.9", frames),
}


def check(program: str, prefix: Path, folder: Path) -> bool:
    """Run a program. Return whether valgrind found nothing."""
    name, read = PROGRAMS[program]
    library, target, data = prefix / "lib" / name, folder / program, folder / f"{program}.data"
    data.write_bytes(b"".join(struct.pack("<I", len(item)) + item for item in read()))
    source = ROOT / "xtask" / "capi" / f"{program}.c"
    build = ["cc", "-g", "-I", prefix / "include", "-o", target, source, library, f"-Wl,-rpath,{library.parent}"]
    subprocess.run(build, check=True)
    command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]
    done = subprocess.run([*command, target, data, folder / "frame"], timeout=TIMEOUT, capture_output=True, text=True)
    print(f"{program}: {done.stdout.strip()}")
    if done.returncode != 0:
        print("\n".join(line for line in done.stderr.splitlines() if line.startswith("=="))[-3000:])
    return done.returncode == 0


def main() -> int:
    prefix = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        failed = sum(not check(program, prefix, Path(name)) for program in PROGRAMS)
    print(f"valgrind: {len(PROGRAMS) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
