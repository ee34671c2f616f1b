"""Helpers for tests: files with numbers, temporary files, comparison of files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy

from .defaults import DEFAULT_CHUNK_SIZE
from .pretty import reverse_pretty

#: Numbers in each part of an array file, which has 16 MB.
_PART = 2_000_000


def simple_progress(i: int) -> None:
    """Print a dot for every tenth number."""
    if i % 10 == 0:
        print(".", end="", flush=True)


def create_array(repeats: int, in_file: Any, progress: Callable[[int], None] | bool | None = None) -> None:
    """Write `repeats` times 16 MB of rising numbers to a file."""
    with open(in_file, "wb") as fp:
        create_array_fp(repeats, fp, progress)


def create_array_fp(repeats: int, in_fp: BinaryIO, progress: Callable[[int], None] | bool | None = None) -> None:
    """Write `repeats` times 16 MB of rising numbers to a file object."""
    for part in range(repeats):
        in_fp.write(numpy.linspace(part, part + 1, _PART).tobytes())
        if callable(progress):
            progress(part)
    in_fp.flush()


def atexit_tmpremover(dirname: str) -> None:
    """Remove a directory, if it is still there."""
    shutil.rmtree(dirname, ignore_errors=True)


@contextlib.contextmanager
def create_tmp_files() -> Iterator[tuple[str, str, str, str]]:
    """Yield a temporary directory, and the paths of a file, a packed file and an unpacked file in it."""
    with tempfile.TemporaryDirectory(prefix="bloscpack-") as folder:
        names = ("file", "file.blp", "file.dcmp")
        in_file, out_file, dcmp_file = (os.path.join(folder, name) for name in names)
        yield folder, in_file, out_file, dcmp_file


def cmp_file(file1: Any, file2: Any) -> bool:
    """Compare the contents of two files. See :func:`cmp_fp`."""
    with open(file1, "rb") as fp1, open(file2, "rb") as fp2:
        return cmp_fp(fp1, fp2)


def cmp_fp(fp1: BinaryIO, fp2: BinaryIO) -> bool:
    """Compare the contents of two file objects from their positions on.

    Raises
    ------
    AssertionError
        If they differ.
    """
    size, at = reverse_pretty(DEFAULT_CHUNK_SIZE), 0
    while True:
        left, right = fp1.read(size), fp2.read(size)
        if left != right:
            raise AssertionError(f"the contents differ within the {size} bytes from {at} on")
        if not left:
            return True
        at += len(left)
