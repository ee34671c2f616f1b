"""Carrays and ctables, written and edited by bcolz and by bloscpack-io in turn, and read by both.

We write with the example `bcolz_edit` of bloscpack-io, which is in the folder `examples` next to blpk. bcolz is
bcolz-zipline, the fork used by zipline.
"""

import sys

# This file has the name of the module that it imports.
sys.path.pop(0)
import bcolz  # noqa: E402

sys.path.insert(0, __file__.rsplit("/", 1)[0])

import json
import os
import random
import shutil
import subprocess
import tempfile

import numpy
from _common import BLPK, Tally, blpk, sampled

BCOLZ_EDIT = os.path.join(os.path.dirname(BLPK), "examples", "bcolz_edit")
CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
DTYPES = ["b1", "i1", "u2", "<i4", "<i8", "<u8", ">i4", ">f8", "<f2", "<f4", "<f8", "S5", "U3", "V7", "V300", "M8[ns]", "m8[ns]"]
tally = Tally()


def ours(root, lines):
    """Runs bcolz_edit. Arrays among the words are passed as files with their bytes."""
    text = []
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(lines):
            words = []
            for word in line:
                parts = word if isinstance(word, list) else [word]
                if parts and isinstance(parts[0], numpy.ndarray):
                    files = []
                    for part in parts:
                        files.append(os.path.join(folder, f"{number}.{len(files)}"))
                        part.tofile(files[-1])
                    word = ",".join(files)
                words.append(word if isinstance(word, str) else json.dumps(word))
            text.append(" ".join(words))
        done = subprocess.run([BCOLZ_EDIT, root], input="\n".join(text).encode(), capture_output=True, timeout=300)
    return tally.check(done.returncode == 0, f"bcolz_edit {root}", f"{text} {done.stderr!r}")


def dumped(root):
    """Returns the rows that we read, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "dump")
        if not ours(root, [("dump", file)]):
            return None
        with open(file, "rb") as found:
            return found.read()


def some_rows(rng, dtype, shape, count):
    dtype = numpy.dtype(dtype)
    items = count * int(numpy.prod(shape, dtype=int))
    numbers = numpy.array([rng.randrange(100) for _ in range(items)], "i8")
    if dtype.kind == "V":
        rows = numpy.zeros(items, dtype)
        rows.view("u1").reshape(items, dtype.itemsize)[:, 0] = numbers
    elif dtype.kind in "Mm":
        rows = numbers.astype(dtype)
    else:
        rows = numbers.astype(dtype)
    return rows.reshape((count, *shape))


def joined(parts):
    """Concatenates arrays in the byte order of the first, which NumPy would not preserve."""
    return numpy.concatenate(parts).astype(parts[0].dtype, copy=False)


def check_array(root, rows, attrs, what):
    """Checks that both read the expected rows."""
    verified = blpk("verify", root)
    tally.check(verified.ok, f"{what}: blpk verify", verified)
    tally.check(dumped(root) == rows.tobytes(), f"{what}: we read other rows")
    opened = bcolz.open(root, mode="r")
    found = opened[:]
    same = found.dtype == rows.dtype and found.shape == rows.shape and found.tobytes() == rows.tobytes()
    tally.check(same, f"{what}: bcolz reads other rows", f"{found.shape} {found.dtype}, {rows.shape} {rows.dtype}")
    tally.check(dict(opened.attrs) == attrs, f"{what}: attributes", f"{dict(opened.attrs)} {attrs}")
    left = [name for name in os.listdir(root) if name not in ("__attrs__", "data", "meta")]
    tally.check(not left, f"{what}: left in the root", left)


def arrays(folder):
    """Tests arrays that both edit in turn."""
    cases = [(dtype, shape, codec) for dtype in DTYPES for shape in [(), (3,), (2, 2)] for codec in CODECS]
    for number, (dtype, shape, codec) in sampled(cases):
        rng = random.Random(number)
        root = os.path.join(folder, f"array{number}")
        theirs = number % 2 == 0 and not dtype.startswith("V")
        chunklen, quantize = rng.choice([7, 100]), 0
        what = f"{dtype} {shape} {codec}{' by bcolz' if theirs else ''}"
        rows = some_rows(rng, dtype, shape, rng.randrange(300))
        if theirs:
            cparams = bcolz.cparams(clevel=5, shuffle=number % 3, cname=codec)
            made = bcolz.carray(rows, rootdir=root, cparams=cparams, chunklen=chunklen, mode="w")
            made.flush()
            del made
        else:
            params = {"dtype": str(numpy.dtype(dtype)), "shape": list(shape), "chunklen": chunklen, "cname": codec}
            ours(root, [("carray", params | {"shuffle": number % 3}), ("stream", rows)])
        attrs = {}
        check_array(root, rows, attrs, what)
        for turn in range(6):
            rows, done = (change_theirs if turn % 2 else change_ours)(rng, root, rows, attrs, dtype, shape)
            check_array(root, rows, attrs, f"{what}, turn {turn} {done}")
        shutil.rmtree(root)


def change_ours(rng, root, rows, attrs, dtype, shape):
    lines = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(6)
        if kind <= 1:
            new = some_rows(rng, dtype, shape, rng.randrange(120))
            lines.append((rng.choice(["append", "stream"]), new))
            rows = joined([rows, new])
        elif kind == 2:
            count = rng.randrange(len(rows) + 1)
            lines.append(("resize", count))
            rows = rows[:count]
        elif kind == 3:
            start = rng.randrange(len(rows) + 1)
            stop, step = rng.randint(start, len(rows)), rng.randint(1, 9)
            new = some_rows(rng, dtype, shape, len(range(start, stop, step)))
            lines.append(("assign", f"{start}:{stop}:{step}", new))
            rows = rows.copy()
            rows[start:stop:step] = new
        elif kind == 4:
            more = rng.randrange(50)
            lines.append(("resize", len(rows) + more))
            rows = joined([rows, numpy.zeros((more, *shape), rows.dtype)])
        else:
            value = [rng.randrange(9), None, "é", float("inf"), {"a": 1 << 70}]
            lines.append(("attr", "note", value))
            attrs["note"] = value
    ours(root, lines)
    return rows, f"ours {[line[0] for line in lines]}"


def change_theirs(rng, root, rows, attrs, dtype, shape):
    opened = bcolz.open(root, mode="a")
    done = []
    for _ in range(rng.randint(1, 2)):
        kind = rng.randrange(4)
        if kind <= 1:
            new = some_rows(rng, dtype, shape, rng.randint(1, 120))
            opened.append(new)
            rows = joined([rows, new])
            done.append("append")
        elif kind == 2 and len(rows) > 1:
            count = rng.randrange(1, len(rows))
            opened.trim(len(rows) - count)
            rows = rows[:count]
            done.append("trim")
        else:
            opened.attrs["theirs"] = value = rng.randrange(1000)
            attrs["theirs"] = value
            done.append("attrs")
    opened.flush()
    return rows, f"theirs {done}"


def quantized(folder):
    """Tests quantized floats against those of bcolz."""
    for number, (dtype, digits) in sampled([(d, q) for d in ["<f2", "<f4", "<f8"] for q in [0, 1, 2, 3, 5, 8]]):
        rng = numpy.random.default_rng(number)
        rows = (rng.standard_normal(1000) * 10.0 ** rng.integers(-3, 2, 1000)).astype(dtype)
        theirs, root = os.path.join(folder, f"q{number}t"), os.path.join(folder, f"q{number}")
        made = bcolz.carray(rows, rootdir=theirs, cparams=bcolz.cparams(quantize=digits), chunklen=300, mode="w")
        made.flush()
        expected = bcolz.open(theirs, mode="r")[:]
        # bcolz turns values that are too large for this many digits into infinities; we keep them.
        expected = numpy.where(numpy.isfinite(expected), expected, rows)
        params = {"dtype": str(rows.dtype), "chunklen": 300, "quantize": digits}
        ours(root, [("carray", params), ("stream", rows)])
        found = bcolz.open(root, mode="r")[:]
        tally.check(found.tobytes() == expected.tobytes(), f"quantize {digits} of {dtype}")


def check_table(root, names, columns, what):
    verified = blpk("verify", root)
    tally.check(verified.ok, f"{what}: blpk verify", verified)
    tally.check(dumped(root) == b"".join(column.tobytes() for column in columns), f"{what}: we read other rows")
    opened = bcolz.open(root, mode="r")
    tally.check(opened.names == names and len(opened) == len(columns[0]), f"{what}: names", f"{opened.names} {names}")
    for name, column in zip(names, columns):
        found = opened[name][:]
        same = found.dtype == column.dtype and found.tobytes() == column.tobytes()
        tally.check(same, f"{what}: bcolz reads other rows of {name}")
        with open(os.path.join(root, name, "meta", "sizes")) as file:
            tally.check(json.load(file)["shape"][0] == len(column), f"{what}: meta/sizes of {name}")


def tables(folder):
    """Tests tables that both edit in turn."""
    for number, _ in sampled(range(40)):
        rng = random.Random(number)
        root = os.path.join(folder, f"table{number}")
        dtypes = {name: rng.choice(["<i4", "<f8", "S5", "u1"]) for name in ["a", "b", "data", "x_y"][: rng.randint(1, 4)]}
        names = list(dtypes)
        columns = [some_rows(rng, dtypes[name], (), 50) for name in names]
        if number % 2:
            made = bcolz.ctable(columns=columns, names=names, rootdir=root, mode="w")
            made.flush()
            del made
        else:
            params = {name: {"dtype": str(numpy.dtype(dtypes[name])), "chunklen": rng.choice([9, 40])} for name in names}
            ours(root, [("ctable", params), ("append", columns)])
        check_table(root, names, columns, f"table {number}")
        for turn in range(8):
            kind = rng.randrange(6)
            mine = turn % 2 == 0
            opened = None if mine else bcolz.open(root, mode="a")
            what = f"table {number}, turn {turn}, {'ours' if mine else 'theirs'}, {kind}"
            if kind <= 2:
                new = [some_rows(rng, dtypes[name], (), 1 + rng.randrange(60)) for name in names]
                new = [column[: min(map(len, new))] for column in new]
                if mine:
                    ours(root, [("append", new), ("attr", "last_row", len(columns[0]))])
                else:
                    opened.append(new)
                columns = [joined(pair) for pair in zip(columns, new)]
            elif kind == 3:
                count = rng.randint(1, len(columns[0]))
                if mine:
                    ours(root, [("resize", count)])
                else:
                    opened.resize(count)
                columns = [column[:count] for column in columns]
            elif kind == 4:
                name = f"new{turn}"
                dtypes[name], at = "<i8", rng.randint(0, len(names))
                new = some_rows(rng, "<i8", (), len(columns[0]))
                if mine:
                    ours(root, [("addcol", name, str(at), new, {"dtype": "int64"})])
                else:
                    opened.addcol(new, name=name, pos=at)
                names.insert(at, name)
                columns.insert(at, new)
            elif len(names) > 1:
                at = rng.randrange(len(names))
                if mine and rng.random() < 0.5:
                    ours(root, [("rename", names[at], f"renamed{turn}")])
                    dtypes[f"renamed{turn}"] = dtypes[names[at]]
                    names[at] = f"renamed{turn}"
                else:
                    name = names.pop(at)
                    columns.pop(at)
                    if mine:
                        ours(root, [("delcol", name)])
                    else:
                        opened.delcol(name)
            if opened is not None:
                opened.flush()
                del opened
            check_table(root, names, columns, what)


OHLCV = ["open", "high", "low", "close", "volume"]


def zipline_daily(folder):
    """Tests the layout of zipline's daily bars: made by bcolz, a session appended by us, read as zipline reads it."""
    for number, _ in sampled(range(6)):
        rng, root = random.Random(number), os.path.join(folder, f"daily{number}.bcolz")
        names = [*OHLCV, "day", "id"]
        rows = 1 + rng.randrange(5000)
        columns = [some_rows(rng, "u4", (), rows) for _ in names]
        made = bcolz.ctable(columns=[bcolz.carray(c) for c in columns], names=names, rootdir=root, mode="w")
        attrs = {"first_row": {"1": 0, "7": 10}, "last_row": {"1": 9, "7": rows - 1}, "calendar_name": "XNYS"}
        for name, value in attrs.items():
            made.attrs[name] = value
        made.flush()
        del made
        for turn in range(4):
            new = [some_rows(rng, "u4", (), 1 + rng.randrange(2000)) for _ in names]
            new = [column[: min(map(len, new))] for column in new]
            columns = [joined(pair) for pair in zip(columns, new)]
            if turn % 2:
                opened = bcolz.open(root, mode="a")
                opened.append(new)
                opened.flush()
            else:
                attrs["last_row"]["7"] = len(columns[0]) - 1
                ours(root, [("append", new), ("attr", "last_row", attrs["last_row"])])
            check_table(root, names, columns, f"daily bars {number}, turn {turn}")
            opened = bcolz.open(root, mode="r")
            tally.check(dict(opened.attrs) == attrs, f"daily bars {number}: attributes", dict(opened.attrs))
            last = attrs["last_row"]["7"]
            for name, column in zip(names, columns):
                tally.check((opened[name][10 : last + 1] == column[10 : last + 1]).all(), f"daily bars {number}: {name}")


def zipline_minutes(folder):
    """Tests the layout of zipline's minute bars: a table per asset, appended to day by day and truncated by resize."""
    for number, _ in sampled(range(6)):
        rng, root = random.Random(number), os.path.join(folder, f"{number:06}.bcolz")
        days = [[some_rows(rng, "u4", (), 390) for _ in OHLCV] for _ in range(6)]
        if number % 2:
            # As BcolzMinuteBarWriter makes one.
            empty = numpy.array([], numpy.uint32)
            carrays = [bcolz.carray(empty, expectedlen=1474200, dtype="uint32") for _ in OHLCV]
            bcolz.ctable(columns=carrays, names=OHLCV, rootdir=root, expectedlen=1474200, mode="w").flush()
        else:
            ours(root, [("ctable", {name: {"dtype": "uint32", "expectedlen": 1474200} for name in OHLCV})])
            with open(os.path.join(root, "close", "meta", "storage")) as file:
                tally.check(json.load(file)["chunklen"] == 65536, "chunklen of minute bars")
        columns = [numpy.array([], "u4") for _ in OHLCV]
        for turn, day in enumerate(days):
            # zipline's writer reads the number of days here.
            with open(os.path.join(root, "close", "meta", "sizes")) as file:
                tally.check(json.load(file)["shape"][0] == len(columns[0]), f"minutes {number}: close/meta/sizes")
            if turn % 2:
                ours(root, [("append", day)])
            else:
                opened = bcolz.open(root, mode="a")
                opened.append(day)
                opened.flush()
            columns = [joined(pair) for pair in zip(columns, day)]
            check_table(root, OHLCV, columns, f"minutes {number}, day {turn}")
            if turn == 3:
                columns = [column[:780] for column in columns]
                if number % 2:
                    ours(root, [("resize", 780)])
                else:
                    opened = bcolz.open(root, mode="a")
                    opened.resize(780)
                    opened.flush()
                check_table(root, OHLCV, columns, f"minutes {number}, cut")


def both_modes(folder):
    """Tests that an emptied directory keeps its attributes, and that one left inconsistent by bcolz is repaired."""
    for number, _ in sampled(range(4)):
        rng, root = random.Random(number), os.path.join(folder, f"w{number}")
        rows = some_rows(rng, "<i4", (), 100)
        ours(root, [("carray", {"dtype": "int32", "chunklen": 30}), ("append", rows), ("attr", "a", 1)])
        ours(root, [("clear",), ("append", rows[:5])])
        check_array(root, rows[:5], {"a": 1}, "emptied by us")
        emptied = bcolz.carray(rootdir=root, mode="w")
        emptied.append(rows)
        emptied.flush()
        del emptied
        check_array(root, rows, {"a": 1}, "emptied by bcolz")
        ours(root, [("append", rows)])
        check_array(root, joined([rows, rows]), {"a": 1}, "emptied by bcolz, appended to by us")
        # Rows that were never flushed: chunk files beyond the length in meta/sizes.
        opened = bcolz.open(root, mode="a")
        opened.append(numpy.arange(200, dtype="<i4"))
        del opened
        ours(root, [("append", rows[:50])])
        check_array(root, joined([rows, rows, rows[:50]]), {"a": 1}, "after an append that was lost")
        # A table with one column longer than the first.
        table = os.path.join(folder, f"t{number}")
        ours(table, [("ctable", {"a": {"dtype": "int32"}, "b": {"dtype": "int32"}}), ("append", [rows, rows])])
        ahead = bcolz.open(os.path.join(table, "b"), mode="a")
        ahead.append(rows)
        ahead.flush()
        del ahead
        ours(table, [("append", [rows[:7], rows[:7]])])
        both = joined([rows, rows[:7]])
        check_table(table, ["a", "b"], [both, both], "a column that was ahead")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for part in [arrays, quantized, tables, zipline_daily, zipline_minutes, both_modes]:
            part(folder)
    tally.finish()
