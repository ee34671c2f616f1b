"""Shared by the scripts of `cargo xtask remote`: the binary, fixtures, and an end for everything that waits.

Each script is a file of pytest that runs itself: ``python script.py path/to/blpk``.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import zarr
from zarr.storage import FsspecStore

ROOT = Path(__file__).resolve().parents[2]
#: Seconds for one call of `blpk`.
CALL = 120
#: Seconds for a script. After that it shows where it waits, and ends.
SCRIPT = 900


def run_tests(script: str) -> int:
    """Run the tests in a script on the binary named on the command line."""
    faulthandler.dump_traceback_later(SCRIPT, exit=True)
    if len(sys.argv) > 1:
        os.environ["BLPK"] = str(Path(sys.argv[1]).resolve())
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--import-mode=importlib"]
    return int(pytest.main([*options, *sys.argv[2:], script]))


def blpk(*arguments: Any, env: dict[str, str] | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run `blpk`. With `check`, an exit code other than 0 raises."""
    command = [os.environ["BLPK"], *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, timeout=CALL, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})}
    )
    text = (done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    if check and done.returncode:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}: {text[1]}")
    return subprocess.CompletedProcess(command, done.returncode, *text)


def references(folder: Path, *arguments: Any, check: bool = True) -> dict[str, Any]:
    """Make references with the command, in `folder`."""
    output = folder / "refs.json"
    with contextlib.chdir(folder):
        blpk("-f", "reference", "-o", output, *arguments, check=check)
    return json.loads(output.read_text())


def opened(refs: dict[str, Any] | str, **options: Any) -> Any:
    """Open references as an array or a group of zarr."""
    fs = fsspec.filesystem("reference", fo=refs, asynchronous=True, **options)
    return zarr.open(FsspecStore(fs, read_only=True, path=""), mode="r", zarr_format=2)


def items_of(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Return items that compress, and are all different as far as the dtype allows."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    kind = np.dtype(dtype)
    if kind.kind in "SU":
        return np.char.add("v", (numbers % 97).astype("U4")).astype(kind)
    if kind.names:
        items = np.zeros(shape, kind)
        for number, name in enumerate(kind.names):
            items[name] = (numbers + number).astype(kind[name])
        return items
    return (numbers % 251 if kind.itemsize == 1 else numbers).astype(kind)


@contextlib.contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set environment variables for a while."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
