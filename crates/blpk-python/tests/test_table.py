"""Tables: reading against NumPy, changes, modes, pickles, golden directories."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tarfile
import threading
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_helpers import GOLDEN, extract_golden, make, same, tables

import blpk
from blpk import _table
from blpk._table import Table

ROWS = np.zeros(1000, [("i", "<i4"), ("f", "<f8"), ("s", "S5"), ("t", "M8[ns]"), ("m", "<i2", (2, 3))])
ROWS["i"] = np.arange(1000) * 3
ROWS["f"] = np.sqrt(np.arange(1000))
ROWS["s"] = np.char.add(b"r", (np.arange(1000) % 100).astype("S"))
ROWS["t"] = np.arange(1000).astype("M8[ns]")
ROWS["m"] = np.arange(6000).reshape(1000, 2, 3)


@pytest.fixture
def table(tmp_path):
    return make(tmp_path / "t", ROWS, chunklen=64)


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return extract_golden(tmp_path_factory.mktemp("golden"))


def test_description(table):
    assert table.names == ["i", "f", "s", "t", "m"]
    assert table.dtype == ROWS.dtype
    assert (len(table), table.nrows, table.shape, table.ndim) == (1000, 1000, (1000,), 1)
    assert table.nbytes == ROWS.nbytes
    assert 0 < table.cbytes < table.nbytes
    assert "i" in table and "x" not in table
    assert "1000 rows, 5 columns" in repr(table)
    assert "m  <i2 (2, 3)" in repr(table)


@pytest.mark.parametrize(
    "key",
    [0, 999, -1, -1000, np.int64(5), slice(None), slice(3, 7), slice(60, 70), slice(-5, None), slice(None, None, -1),
     slice(5, 900, 7), slice(900, 5, -100), slice(10, 5), slice(2000, None), ..., (slice(3),), (5,), None, (None, slice(3)), [], [5, 3, 3, -1],
     np.array([999, 0, 64]), np.arange(1000) % 7 == 0, np.zeros(1000, bool), np.array([], np.uint8)],
)  # fmt: skip
def test_rows(table, key):
    if isinstance(key, list) and not key:
        expected = ROWS[np.array([], int)]
    else:
        expected = ROWS[key]
    found = table[key]
    assert type(found) is type(expected)
    same(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("key", [1000, -1001, [1000], [1.5], np.zeros((2, 2), int), np.zeros(3, bool), (1, 2)])
def test_rows_that_do_not_exist(table, key):
    with pytest.raises(IndexError):
        table[key]


def test_columns(table):
    column = table["m"]
    assert isinstance(column, blpk.Array)
    assert (column.shape, column.dtype, column.chunks, column.nbytes) == ((1000, 2, 3), np.dtype("<i2"), (64, 2, 3), 12000)
    for key in [5, slice(3, 9), slice(None, None, -3), (slice(5), 1), (4, 1, 2), (..., 0), ([3, 1], slice(1)), ()]:
        same(np.asarray(column[key]), np.asarray(ROWS["m"][key]))
    same(np.asarray(column), np.ascontiguousarray(ROWS["m"]))
    same(np.array(list(table["f"])), ROWS["f"].copy())
    same(pickle.loads(pickle.dumps(column))[1:3], ROWS["m"][1:3].copy())
    with pytest.raises(blpk.NotFoundError, match="^there is no column 'x'"):
        table["x"]
    with pytest.raises(KeyError):
        table["x"]


def test_a_column_changes_through_its_table(tmp_path):
    table = blpk.create_table(tmp_path / "t", [("n", "i8")])
    table.append([[1, 2]])
    column = blpk.open(tmp_path / "t" / "n", "r+")
    for change in (lambda: column.append([9]), lambda: column.resize(1), lambda: column.__setitem__(0, 5)):
        with pytest.raises(io.UnsupportedOperation, match="through its table"):
            change()
    assert blpk.open(tmp_path / "t")["n"][:].tolist() == [1, 2]
    with pytest.raises(TypeError, match="masked"):
        table.append([np.ma.masked_equal([1, 2], 2)])


def test_some_columns(table):
    view = table[["t", "i"]]
    assert view.names == ["t", "i"]
    expected = np.empty(1000, view.dtype)
    expected["t"], expected["i"] = ROWS["t"], ROWS["i"]
    same(view[10:500:3], expected[10:500:3])
    same(pickle.loads(pickle.dumps(view))[:], expected)
    with pytest.raises(io.UnsupportedOperation):
        view.append(expected)
    with pytest.raises(ValueError, match="twice"):
        table[["i", "i"]]
    with pytest.raises(blpk.NotFoundError):
        table[["i", "x"]]


def test_iteration(table):
    rows = list(table)
    assert len(rows) == 1000 and isinstance(rows[0], np.void)
    assert rows[999] == ROWS[999]
    same(np.asarray(table), ROWS)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows=tables(), chunklen=st.integers(1, 70), data=st.data())
def test_any_dtype(tmp_path_factory, rows, chunklen, data):
    path = tmp_path_factory.mktemp("any")
    table = make(path / "t", rows, chunklen=chunklen)
    same(table[:], rows)
    key = data.draw(st.slices(len(rows)))
    same(table[key], np.ascontiguousarray(rows[key]))
    for name in table.names:
        same(table[name][key], np.ascontiguousarray(rows[name][key]))
    if len(rows):
        numbers = data.draw(st.lists(st.integers(-len(rows), len(rows) - 1)))
        same(table[np.array(numbers, int)], rows[np.array(numbers, int)])


def test_append(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i4"), ("s", "S3"), ("u", "U2"), ("t", "M8[ms]")])
    days = np.array(["2020-01-01", "NaT"], "M8[D]")
    assert table.append({"a": [1, 2], "s": ["xy", "é"], "u": ["é", ""], "t": days}) == 2
    assert table.append([[3], [b"abc"], np.array(["q"], object), np.array([5], "M8[ms]")]) == 1
    assert table.append(table[:1]) == 1
    assert table.append(table[1]) == 1
    assert table["a"][:].tolist() == [1, 2, 3, 1, 2]
    assert table["s"][:].tolist() == [b"xy", "é".encode(), b"abc", b"xy", "é".encode()]
    assert Table(table.path)["u"][:].tolist() == ["é", "", "q", "é", ""]
    assert table.append({name: [] for name in table.names}) == 0
    before = table[:]
    time = np.array([0], "M8[ms]")
    for rows, error in [
        ([[1], [b"abcd"], ["q"], time], "holds 3 characters"),
        ([[1.5], [b"a"], ["q"], time], "without loss"),
        ([[1 << 40], [b"a"], ["q"], time], "without loss"),
        ([[1, 2], [b"a"], ["q"], time], "number of rows"),
        ([[[1]], [b"a"], ["q"], time], "shape"),
        ([[1]], "1 columns"),
        ({"a": [1]}, "missing"),
    ]:
        with pytest.raises((ValueError, TypeError), match=error):
            table.append(rows)
    same(Table(table.path)[:], before)


def test_resize_and_columns(table):
    table.resize(10)
    table.add_column("z", np.arange(20, dtype=">u2").reshape(10, 2), at=1, codec="zstd")
    assert table.names == ["i", "z", "f", "s", "t", "m"]
    same(table["z"][:], np.arange(20, dtype=">u2").reshape(10, 2))
    table.rename_column("z", "y")
    table.delete_column("f")
    assert Table(table.path).names == table.names == ["i", "y", "s", "t", "m"]
    assert table.dtype["y"] == np.dtype((">u2", 2))
    table.resize(12)
    assert table["i"][9:].tolist() == [27, 0, 0]
    with pytest.raises(ValueError):
        table.add_column("w", [1, 2])
    with pytest.raises(TypeError):
        table.add_column("w", np.array([None] * 12))


def test_attributes(table):
    attrs = table.attrs
    attrs["title"] = "trades"
    attrs["nested"] = {"a": [1, 2.5, None, True]}
    attrs["number"] = np.float64(1.5)
    attrs["array"] = np.arange(3)
    table.column_attrs("i")["unit"] = "m"
    other = Table(table.path)
    assert dict(other.attrs) == {
        "title": "trades", "nested": {"a": [1, 2.5, None, True]}, "number": 1.5, "array": [0, 1, 2],
    }  # fmt: skip
    assert other["i"].attrs["unit"] == other.column_attrs("i")["unit"] == "m" and len(other["f"].attrs) == 0
    del attrs["nested"]
    assert list(attrs) == ["title", "number", "array"] and "title" in attrs
    for wrong in [lambda: attrs["x"], lambda: attrs.__delitem__("x")]:
        with pytest.raises(KeyError):
            wrong()
    with pytest.raises(TypeError, match="object"):
        attrs["x"] = object()
    with pytest.raises(io.UnsupportedOperation):
        other.attrs["x"] = 1
    assert "trades" in repr(attrs)


def test_modes(table):
    reader = Table(table.path)
    for change in [
        lambda: reader.append(ROWS[:1]), lambda: reader.resize(1), lambda: reader.delete_column("i"),
        lambda: reader.rename_column("i", "j"), lambda: reader.add_column("j", ROWS["i"]),
    ]:  # fmt: skip
        with pytest.raises(io.UnsupportedOperation, match="r\\+"):
            change()
    with pytest.raises(ValueError, match="mode"):
        Table(table.path, "w")
    assert Table(table.path, "a").append(ROWS[:1]) == 1
    assert len(reader) == 1000
    reader.refresh()
    assert len(reader) == 1001
    with Table(table.path) as closed:
        pass
    with pytest.raises(ValueError, match="closed"):
        closed[0]
    assert "closed" in repr(closed)
    with pytest.raises(FileNotFoundError) as missing:
        Table(table.path + "x")
    assert missing.value.filename.startswith(table.path)


def test_create(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i4")], codec="zstd", clevel=9, filters="bitshuffle", expectedlen=10)
    storage = json.loads((tmp_path / "t" / "a" / "meta" / "storage").read_text())
    assert storage["cparams"] == {"clevel": 9, "shuffle": 2, "cname": "zstd", "quantize": 0}
    with pytest.raises(FileExistsError):
        _table.create(tmp_path / "t", [("a", "i4")])
    table.append([[1, 2]])
    assert len(_table.create(tmp_path / "t", [("b", "f4", 3)], overwrite=True)) == 0
    for dtype in ["i4", [("o", "O")], [("s", [("x", "i4")])]]:
        with pytest.raises((TypeError, ValueError)):
            _table.create(tmp_path / "u", dtype)
    for settings in [{"filters": "delta"}, {"codec": "x"}, {"clevel": 10}]:
        with pytest.raises(ValueError):
            _table.create(tmp_path / "u", [("a", "i4")], **settings)
    assert not (tmp_path / "u").exists()
    automatic = _table.create(tmp_path / "auto", [("a", "i8")], auto="small")
    automatic.append([np.arange(100_000)])
    assert automatic.cbytes < 20_000
    same(automatic["a"][:], np.arange(100_000))


def test_pickle_and_threads(table):
    copy = pickle.loads(pickle.dumps(Table(table.path, threads=2, limits={"max_memory": 1 << 30})))
    same(copy[:], ROWS)
    same(copy["m"][3:900:5], np.ascontiguousarray(ROWS["m"][3:900:5]))
    with pytest.raises(blpk.LimitError):
        Table(table.path, limits={"max_nbytes": 1000})[:]
    with pytest.raises(ValueError):
        Table(table.path, threads=0)


def _length(table):
    return len(table), int(table["i"][:].sum())


def test_processes(table):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_length, [table[["i"]], Table(table.path)]) == [(1000, int(ROWS["i"].sum()))] * 2


def test_threads_that_append(tmp_path):
    table = _table.create(tmp_path / "t", [("thread", "i4"), ("n", "i4")], chunklen=7)

    def run(number):
        for count in range(10):
            table.append([[number] * 3, [count] * 3])
            assert len(table[:]) >= 3

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    rows = Table(table.path)[:]
    assert len(rows) == 120
    for number in range(4):
        assert rows["n"][rows["thread"] == number].tolist() == [count for count in range(10) for _ in range(3)]


APPENDER = """
import sys
from blpk._table import Table
table = Table(sys.argv[1], "r+")
print("ready", flush=True)
while True:
    table.append([[1] * 100, [2.5] * 100, [b"x"] * 100])
"""


def test_killed_while_appending(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i4"), ("b", "f8"), ("c", "S1")], chunklen=130)
    before = 0
    for delay in (0, 0.003, 0.011):
        process = subprocess.Popen([sys.executable, "-c", APPENDER, table.path], stdout=subprocess.PIPE)
        process.stdout.readline()
        while len(Table(table.path)) == before:
            time.sleep(0.001)
        time.sleep(delay)
        process.kill()
        process.communicate()
        rows = Table(table.path)[:]
        assert len(rows) % 100 == 0
        assert (rows["a"] == 1).all() and (rows["b"] == 2.5).all() and (rows["c"] == b"x").all()
        before = len(rows)
    table.append([[1], [2.5], [b"x"]])
    assert len(Table(table.path)) == before + 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_fork_while_a_thread_appends(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i8")])
    done = threading.Event()

    def run():
        while not done.is_set():
            table.append([np.arange(1000)])

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                rows = table["a"][:]
                os._exit(0 if len(rows) % 1000 == 0 and len(table[:]) % 1000 == 0 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()


def test_bounded_iteration(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i8"), ("b", "f8")])
    for _ in range(8):
        table.append([np.arange(1 << 18), np.zeros(1 << 18)])
    assert table.nbytes == 32 << 20
    tracemalloc.start()
    assert sum(1 for _ in table) == 1 << 21
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


def _golden():
    with tarfile.open(GOLDEN) as archive:
        manifest = json.load(archive.extractfile(next(m for m in archive if m.name.endswith("manifest.json"))))
    return [case for case in manifest["cases"] if case["kind"] == "ctable"]


@pytest.mark.parametrize("case", _golden(), ids=lambda case: case["name"])
def test_golden(golden, case):
    import hashlib

    path = golden / case["name"]
    if case["expect"] == "error":
        with pytest.raises((blpk.DamagedError, OSError)):
            Table(path)
        return
    table = Table(path)
    assert table.names == case["names"]
    for name, facts in case["columns"].items():
        column = table[name]
        assert list(column.shape) == facts["shape"]
        assert hashlib.sha256(column[:].tobytes()).hexdigest() == facts["sha256"]
        assert column[:].tobytes() == table[:][name].tobytes()
        for start, stop, step, rows, digest in facts["slices"]:
            found = column[start:stop:step]
            assert (len(found), hashlib.sha256(found.tobytes()).hexdigest()) == (rows, digest)


def test_objects(golden, tmp_path):
    import shutil

    objects = next(path.parents[1] for path in sorted(golden.rglob("meta/storage")) if b'"object"' in path.read_bytes())
    table = make(tmp_path / "t", np.zeros(len(json.loads((objects / "meta" / "sizes").read_text())["shape"]), "i4,i4"))
    table.resize(json.loads((objects / "meta" / "sizes").read_text())["shape"][0])
    shutil.rmtree(tmp_path / "t" / "f1")
    shutil.copytree(objects, tmp_path / "t" / "f1")
    table = Table(tmp_path / "t")
    assert table.dtype["f1"] == object
    for read in [lambda: table[0], lambda: table[:], lambda: table["f1"][:], lambda: table.__arrow_c_stream__()]:
        with pytest.raises(blpk.UnsupportedError, match="column 'f1'"):
            read()
    assert len(table[["f0"]][:]) == len(table)


def test_damaged_chunk(table):
    from pathlib import Path

    chunk = Path(table.path) / "f" / "data" / "__3.blp"
    content = bytearray(chunk.read_bytes())
    content[30:40] = b"\xff" * 10
    chunk.write_bytes(content[: len(content) - 5])
    with pytest.raises(blpk.DamagedError, match="__3.blp"):
        table[:]
    same(table[:192], ROWS[:192])
    assert len(table["i"][:]) == 1000


def test_views_of_columns_that_are_gone(tmp_path):
    table = make(tmp_path / "t", ROWS[:5])
    view = table[["i", "f"]]
    table.rename_column("f", "g")
    for read in (lambda: view.names, lambda: view[:], lambda: len(view.dtype)):
        with pytest.raises(blpk.NotFoundError, match="'f' was renamed or deleted"):
            read()
    assert "'f' was renamed" in repr(view) and "f" not in view and "i" in view
    assert view["i"][:].tolist() == ROWS["i"][:5].tolist()
    assert table[["i", "g"]][:]["g"].tolist() == ROWS["f"][:5].tolist()


def test_no_rows_and_other_objects(table):
    assert table.append([]) == 0 and len(table) == 1000
    assert "i" in table and table[0] not in table and 1 not in table


def test_a_snapshot_that_is_too_old_says_so(tmp_path):
    table = make(tmp_path / "t", ROWS, chunklen=64)
    Table(tmp_path / "t", "r+").resize(0)
    with pytest.raises(FileNotFoundError, match="refresh"):
        table[:]
    table.refresh()
    assert len(table[:]) == 0


def test_names_that_no_file_system_takes(tmp_path):
    table = make(tmp_path / "t", ROWS[:5])
    for name in ("x" * 300, "é" * 128):
        with pytest.raises(ValueError, match="more than 255 bytes"):
            table.add_column(name, np.arange(5))
        with pytest.raises(ValueError, match="more than 255 bytes"):
            table.rename_column("i", name)
    with pytest.raises(TypeError, match="masked"):
        table.add_column("m", np.ma.masked_array(np.arange(5), [True] * 5))
    same(Table(tmp_path / "t")[:], ROWS[:5])


@pytest.mark.parametrize("kind", ["table", "carray"])
def test_an_interrupt_ends_a_resize(tmp_path, kind):
    program = f"""if True:
        import blpk, os, signal, threading, time
        path = {str(tmp_path / "t")!r}
        if {kind!r} == "table":
            grown = blpk.create_table(path, [("i", "i4")], chunklen=10)
        else:
            grown = blpk.create(path, 5, "i4", chunks=10, format="bcolz")
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            grown.resize(2_000_000_000 if {kind!r} == "table" else (2_000_000_000,))
        except KeyboardInterrupt:
            assert time.monotonic() - start < 10
            assert len(blpk.open(path)) in (0, 5)
            print("ended")
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended\n", done.stderr


def test_other_tables_are_appended(tmp_path):
    rows = np.array([(b"a", "2020-01-02", 1.5), (b"bc", "2020-01-03", -2.0)], [("s", "S4"), ("d", "M8[D]"), ("x", "f8")])
    table = make(tmp_path / "t", rows)
    same_rows = [
        make(tmp_path / "other", rows),
        {"x": [1.5, -2.0], "d": ["2020-01-02", "2020-01-03"], "s": ["a", "bc"]},
        {"x": [1.5, -2], "d": list(rows["d"].astype(object)), "s": [b"a", b"bc"]},
        {"x": np.array([1.5, -2], object), "d": rows["d"].astype("M8[ns]"), "s": np.array(["a", "bc"], object)},
    ]
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    stream = pa.table({"s": ["a", "bc"], "d": pa.array(rows["d"]), "x": rows["x"]})
    same_rows.append({name: stream[name] for name in stream.column_names})
    same_rows.append(dict(pd.DataFrame({"d": rows["d"].astype("M8[s]"), "s": ["a", "bc"], "x": rows["x"]})))
    for count, other in enumerate(same_rows, 2):
        assert table.append(other) == 2
        same(table[:], np.concatenate([rows] * count))
    assert table.append(table) == len(table) // 2
    for wrong in ({"d": ["yesterday"], "x": [1.0], "s": ["a"]}, {"d": [object()], "x": [1.0], "s": ["a"]}):
        with pytest.raises((TypeError, ValueError), match="column 'd' is of dtype"):
            table.append(wrong)
    with pytest.raises(ValueError, match="do not match"):
        table.append(table[["s", "x"]])
