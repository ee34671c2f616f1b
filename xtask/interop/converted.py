"""`blpk convert` to and from bcolz, read by bcolz, NumPy, C-Blosc2 and csv.

bcolz is bcolz-zipline, the fork used by zipline.
"""

import sys

# Keeps bcolz.py in this folder from shadowing the library.
HERE = sys.path.pop(0)
import bcolz  # noqa: E402

sys.path.insert(0, HERE)

import csv
import os
import random
import tempfile

import blosc2
import numpy
from _common import Tally, blpk, sampled

CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
FILTERS = ["none", "shuffle", "bitshuffle"]
DTYPES = ["?", "i1", "u2", "<i4", "<u8", ">i4", ">f8", "<f2", "<f4", "<f8", "S5", "U3", "V7", "M8[ns]", "m8[ns]"]
tally = Tally()


def some_rows(rng, dtype, shape):
    """Returns random bytes for numbers, so that floats are of all kinds, and valid values for text and booleans."""
    dtype = numpy.dtype(dtype)
    items = int(numpy.prod(shape, dtype=int))
    if dtype.kind in "SU":
        words = ["".join(rng.choice("ab ,\"\n") for _ in range(rng.randint(0, 3))) for _ in range(items)]
        return numpy.array(words, dtype).reshape(shape)
    if dtype.kind == "b":
        return numpy.array([rng.random() < 0.5 for _ in range(items)], dtype).reshape(shape)
    return numpy.frombuffer(rng.randbytes(items * dtype.itemsize), dtype).reshape(shape)


def same(found, rows):
    return found.dtype == rows.dtype and found.shape == rows.shape and found.tobytes() == rows.tobytes()


def to_carrays(folder):
    """Converts a .npy file in either order, via each container."""
    cases = [(dtype, shape) for dtype in DTYPES for shape in [(0,), (1,), (1000,), (77, 3), (40, 2, 5)]]
    for number, (dtype, shape) in sampled(cases):
        rng, rows = random.Random(number), None
        codec, level, name = CODECS[number % 5], number % 10, FILTERS[number % 3]
        rows = some_rows(rng, dtype, shape)
        npy, root = os.path.join(folder, f"{number}.npy"), os.path.join(folder, f"{number}.bcolz")
        numpy.save(npy, numpy.asfortranarray(rows) if number % 2 else rows)
        between = ["npy", "blp", "b2nd", "bcolz"][number % 4]
        source = npy
        if between != "npy":
            source = os.path.join(folder, f"{number}.between.{between}")
            made = blpk("convert", npy, source)
            tally.check(made.ok, f"{dtype} {shape} to {between}", made)
        what = f"{dtype} {shape} by way of {between}"
        chunked = ["--chunkshape", "7"] if number % 2 else []
        made = blpk("convert", "-c", codec, "-l", level, "--filter", name, *chunked, source, root)
        if not tally.check(made.ok, what, made):
            continue
        opened = bcolz.open(root, mode="r")
        tally.check(same(opened[:], rows), f"{what}: other rows", f"{opened.dtype} {opened.shape}")
        found = (opened.cparams.cname, opened.cparams.clevel, opened.cparams.shuffle)
        tally.check(found == (codec, level, number % 3), f"{what}: parameters", found)
        if chunked:
            tally.check(opened.chunklen == 7, f"{what}: chunklen", opened.chunklen)
        elif between != "bcolz" and rows.dtype.kind != "V":
            theirs = bcolz.carray(rows, rootdir=f"{root}.theirs", mode="w").chunklen
            tally.check(theirs == opened.chunklen, f"{what}: chunklen", f"{opened.chunklen}, bcolz's rule says {theirs}")


def from_carrays(folder):
    """Converts to a .npy file, which NumPy reads, and a .b2nd file, which C-Blosc2 reads."""
    cases = [(dtype, shape) for dtype in DTYPES if dtype[0] != "V" for shape in [(0,), (1000,), (77, 3)]]
    for number, (dtype, shape) in sampled(cases):
        rows = some_rows(random.Random(number), dtype, shape)
        root, what = os.path.join(folder, f"from{number}"), f"{dtype} {shape} of bcolz"
        cparams = bcolz.cparams(clevel=5, shuffle=number % 3, cname=CODECS[number % 5])
        bcolz.carray(rows, rootdir=root, cparams=cparams, chunklen=50, mode="w").flush()
        for extension, read in [("npy", numpy.load), ("b2nd", lambda path: blosc2.open(path)[:])]:
            path = f"{root}.{extension}"
            made = blpk("convert", root, path)
            if tally.check(made.ok, f"{what} to {extension}", made):
                found = read(path)
                right = same(found, rows) if extension == "npy" else found.tobytes() == rows.tobytes()
                tally.check(right, f"{what}: other items in {extension}", f"{found.dtype} {found.shape}")


def fields(rows):
    """Returns a function that checks a text field against an item."""
    kind = rows.dtype.kind
    if kind == "f":
        # The shortest digits that parse back to the item in its own type, not as an eight-byte float.
        return lambda text, item: rows.dtype.type(text) == item or (text == "nan" and item != item)
    if kind == "b":
        return lambda text, item: text == ("true" if item else "false")
    if kind == "S":
        return lambda text, item: text.encode() == item
    return lambda text, item: text == str(item)


def tables(folder):
    """Converts to another table, to a file for each column, and to text."""
    for number, _ in sampled(range(20)):
        rng = random.Random(number)
        dtypes = rng.sample(["?", "<i4", "<u8", "<f2", "<f4", "<f8", "S5", "U3", "M8[ns]"], rng.randint(1, 6))
        count = rng.choice([0, 1, 300])
        columns = {f"c{at}": some_rows(rng, dtype, (count,)) for at, dtype in enumerate(dtypes)}
        root, what = os.path.join(folder, f"table{number}"), f"table {number} of {dtypes}"
        made = bcolz.ctable(list(columns.values()), names=list(columns), rootdir=root, mode="w")
        made.attrs["note"] = {"of": number}
        made.flush()
        del made
        for target in [f"{root}.bcolz", f"{root}.columns/", f"{root}.csv"]:
            made = blpk("convert", root, target)
            tally.check(made.ok, f"{what} to {target}", made)
        opened = bcolz.open(f"{root}.bcolz", mode="r")
        tally.check(opened.names == list(columns) and len(opened) == count, f"{what}: names", opened.names)
        tally.check(dict(opened.attrs) == {"note": {"of": number}}, f"{what}: attributes", dict(opened.attrs))
        for name, rows in columns.items():
            tally.check(same(opened[name][:], rows), f"{what}: other rows of {name}")
            tally.check(same(numpy.load(f"{root}.columns/{name}.npy"), rows), f"{what}: another {name}.npy")
        with open(f"{root}.csv", newline="") as file:
            head, *lines = csv.reader(file)
        tally.check(head == list(columns) and len(lines) == count, f"{what}: lines of text", f"{head} {len(lines)}")
        for at, (name, rows) in enumerate(columns.items()):
            says = fields(rows)
            wrong = [(line[at], item) for line, item in zip(lines, rows) if not says(line[at], item)]
            tally.check(not wrong, f"{what}: text of {name}", wrong[:3])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for part in [to_carrays, from_carrays, tables]:
            part(folder)
    tally.finish()
