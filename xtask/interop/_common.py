"""Shared by the interop scripts: starting blpk, generating data, counting passed checks.

Each script is called as `python SCRIPT.py BLPK`, prints its counts and ends with `N passed, N failed`. With
INTEROP_EVERY=20 in the environment only every 20th case runs, for a quick check during development.
"""

import concurrent.futures
import itertools
import os
import subprocess
import sys
import tempfile

import numpy

BLPK = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
FILTERS = ["none", "shuffle", "bitshuffle"]  # in the order of C-Blosc's numbers 0, 1, 2


def sampled(cases):
    """Returns the numbered cases to run: all of them, unless INTEROP_EVERY selects fewer."""
    return itertools.islice(enumerate(cases), 0, None, int(os.environ.get("INTEROP_EVERY", "1")))


def batches(cases, size=64):
    """Splits `cases` into lists of at most `size`, so that not all of their data is in memory at once."""
    cases = iter(cases)
    return iter(lambda: list(itertools.islice(cases, size)), [])


class Tally:
    """Counts checks; shows the first failures in full and the rest as a count."""

    SHOWN = 25

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            if self.failed <= self.SHOWN:
                print(f"FAILED {what}{': ' if detail else ''}{detail}")
        return ok

    def finish(self):
        if self.failed > self.SHOWN:
            print(f"... and {self.failed - self.SHOWN} more failures")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


class Result:
    """Result of one run of blpk."""

    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr

    @property
    def ok(self):
        return self.code == 0

    def __str__(self):
        return f"exit {self.code}, stderr {self.stderr[-300:]!r}"


def blpk(*args, stdin=b"", cwd=None):
    """Runs our blpk."""
    command = [BLPK, *map(str, args)]
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, timeout=300)
    return Result(done.returncode, done.stdout, done.stderr)


def in_parallel(function, cases):
    """Yields results of `function` over `cases`, in order. Two run at a time, because child processes do the work."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from pool.map(function, cases)


def work_folder():
    """Creates a temporary folder, in memory where possible."""
    return tempfile.TemporaryDirectory(prefix="interop-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    """Returns the contents of a file, None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def typed_ramp(nbytes, typesize):
    """Returns consecutive integers of `typesize` bytes each."""
    items = nbytes // typesize + 1
    width = min(typesize, 8)
    table = numpy.zeros((items, typesize), "u1")
    table[:, :width] = numpy.arange(items, dtype="<u8").view("u1").reshape(items, 8)[:, :width]
    return table.tobytes()[:nbytes]


def noise(nbytes, seed):
    return numpy.random.default_rng(seed).bytes(nbytes)


def runs(nbytes, seed):
    """Returns runs of one byte, 1 to 400 long."""
    rng = numpy.random.default_rng(seed)
    count = nbytes // 100 + 2
    return (
        numpy.repeat(rng.integers(0, 256, count, "u1"), rng.integers(1, 400, count))
        .tobytes()
        .ljust(nbytes, b"\7")[:nbytes]
    )


def words(nbytes, seed):
    """Returns lines of words with skewed frequencies, and decimal numbers."""
    rng = numpy.random.default_rng(seed)
    letters = numpy.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", "u1")
    known = [
        letters[numpy.minimum(rng.geometric(0.12, length) - 1, 25)].tobytes() for length in rng.integers(1, 11, 3000)
    ]
    ranks = numpy.minimum(rng.zipf(1.25, nbytes // 3 + 2), len(known)) - 1
    numbers = rng.integers(0, 100_000, len(ranks))
    parts = (known[r] if r % 11 else b"%d" % n for r, n in zip(ranks.tolist(), numbers.tolist()))
    ends = (b"\n" if i % 13 == 12 else b" " for i in range(len(ranks)))
    text = b"".join(part + end for part, end in zip(parts, ends))
    return (text * (nbytes // len(text) + 1))[:nbytes] if text else b""


def linspace(nbytes):
    return numpy.linspace(0, 1, nbytes // 8 + 1).tobytes()[:nbytes]


KINDS = {
    "ramp": lambda nbytes, typesize, seed: typed_ramp(nbytes, typesize),
    "noise": lambda nbytes, typesize, seed: noise(nbytes, seed),
    "runs": lambda nbytes, typesize, seed: runs(nbytes, seed),
    "words": lambda nbytes, typesize, seed: words(nbytes, seed),
    "linspace": lambda nbytes, typesize, seed: linspace(nbytes),
    "zeros": lambda nbytes, typesize, seed: bytes(nbytes),
}


def plain(kind, nbytes, typesize, seed):
    """Returns `nbytes` bytes of one of KINDS."""
    return KINDS[kind](nbytes, typesize, seed)
