"""Every malformed chunk and file of the golden data through the Python package: exceptions of its own, nothing else.

Run it under valgrind to find wrong accesses to memory in the extension module:

    PYTHONMALLOC=malloc valgrind --error-exitcode=9 python xtask/python/hostile.py --every 20
"""

import argparse
import json
import sys
import tarfile
import tempfile
from pathlib import Path

import blpk

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {"max_nbytes": 64 << 20, "max_memory": 64 << 20, "max_unearned": 64 << 20}
#: The exceptions that a caller of the package has to expect from hostile data.
EXPECTED = (blpk.Error, ValueError, OSError, MemoryError, OverflowError)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every so many inputs")
    every = parser.parse_args().every
    with tempfile.TemporaryDirectory() as folder:
        counts = [chunks(Path(folder), every), files(Path(folder), every)]
    passed = sum(counts)
    print(f"hostile: {passed} passed, 0 failed")
    return 0


def unpacked(folder: Path, name: str) -> Path:
    """Unpack an archive of the golden data."""
    with tarfile.open(ROOT / "testdata" / f"{name}.tar.gz") as tar:
        tar.extractall(folder, filter="data")
    return folder


def chunks(folder: Path, every: int) -> int:
    """Decode malformed chunks in every way. One that the reference refuses must raise."""
    data = unpacked(folder, "chunks-malformed")
    content = next(data.rglob("malformed.bin")).read_bytes()
    items = json.loads(next(data.rglob("malformed.json")).read_text())["items"]
    for item in items[::every]:
        chunk = content[item["offset"] : item["offset"] + item["length"]]
        refused = False
        calls = (
            lambda: blpk.decompress(chunk, limits=LIMITS),
            lambda: blpk.decompress(chunk, bytearray(1 << 20), limits=LIMITS),
            lambda: blpk.getitem(chunk, 0, 3, limits=LIMITS),
            lambda: blpk.chunk_info(chunk),
            lambda: blpk.open(chunk, limits=LIMITS).read(),
        )
        for number, call in enumerate(calls):
            try:
                call()
            except EXPECTED:
                refused |= number == 0
        if item["c_blosc2"] < 0 and not refused:
            raise SystemExit(f"{item['base']}, {item['mutation']}: the reference refuses it")
    return len(items[::every])


def files(folder: Path, every: int) -> int:
    """Open malformed files by path and from memory, and read everything."""
    paths = [
        path
        for name in ("bloscpack", "frames", "bcolz")
        for path in sorted(unpacked(folder, name).rglob("*"))
        if any(part in ("malformed", "mut") for part in path.relative_to(folder).parts)
        and (path.is_file() or (path / "__rootdirs__").exists() or (path / "meta").exists())
    ]
    for path in paths[::every]:
        for source in (str(path), path.read_bytes()) if path.is_file() else (str(path),):
            try:
                read(blpk.open(source, limits=LIMITS))
            except EXPECTED:
                pass
    return len(paths[::every])


def read(opened: object) -> None:
    if isinstance(opened, blpk.File):
        opened.read()
        dict(opened.attrs)
    elif isinstance(opened, blpk.Array):
        if opened.nbytes < LIMITS["max_nbytes"]:
            opened[...]
        opened[:0], opened.chunks, opened.blocks, dict(opened.attrs), dict(opened.vlmeta)
    else:
        opened[:10]


if __name__ == "__main__":
    sys.exit(main())
