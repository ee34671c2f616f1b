"""Tables as frames of dask, arrays as arrays of dask."""

from __future__ import annotations

import os
import pickle
import signal
import time

import numpy as np
import pytest
from table_helpers import make

import blpk
from blpk import _table

dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")

COUNT = 50_000


@pytest.fixture(scope="module")
def rows():
    rows = np.zeros(COUNT, [("key", "S3"), ("x", "f8"), ("n", "i4"), ("t", "M8[ms]")])
    rows["key"] = np.array([b"a", b"bc", b"def"])[np.arange(COUNT) % 3]
    rows["x"] = np.sqrt(np.arange(COUNT))
    rows["n"] = np.arange(COUNT)
    rows["t"] = np.arange(COUNT).astype("M8[ms]")
    rows["t"][::10] = "NaT"
    return rows


@pytest.fixture(scope="module")
def table(tmp_path_factory, rows):
    return make(tmp_path_factory.mktemp("dask") / "t", rows, chunklen=1000)


def check(frame, rows):
    found = frame.groupby("key").agg({"x": "sum", "n": "max", "t": "count"}).compute()
    assert sorted(found.index) == ["a", "bc", "def"]
    for key in found.index:
        part = rows[rows["key"] == key.encode()]
        assert found.x[key] == pytest.approx(part["x"].sum())
        assert (found.n[key], found.t[key]) == (part["n"].max(), (~np.isnat(part["t"])).sum())


def test_threads(table, rows):
    from blpk.dask import to_dask_dataframe

    frame = to_dask_dataframe(table.path, rows=7000)
    assert frame.npartitions == 8 and frame.divisions == (0, *range(7000, COUNT, 7000), COUNT - 1)
    assert list(frame.columns) == ["key", "x", "n", "t"] and len(frame) == COUNT
    check(frame, rows)
    assert frame.loc[20_990:21_010].n.compute().tolist() == list(range(20_990, 21_011))
    assert frame.compute().index.tolist() == list(range(COUNT))
    some = to_dask_dataframe(table, ["n", "key"], rows=COUNT, binary=True)
    assert some.npartitions == 1 and list(some.columns) == ["n", "key"]
    assert some.key.compute()[1] == b"bc"
    assert to_dask_dataframe(table).npartitions == 1


def test_columns_without_a_dtype_of_pandas(tmp_path):
    from blpk.dask import to_dask_dataframe

    rows = np.zeros(10, [("v", "V2"), ("m", "f4", 2), ("d", "M8[D]"), ("c", "c8")])
    rows["m"] = np.arange(20).reshape(10, 2)
    rows["c"] = np.arange(10) * 1j
    frame = to_dask_dataframe(make(tmp_path / "t", rows), rows=3).compute()
    assert frame.v.tolist() == [b"\0\0"] * 10 and frame.d[9].year == 1970
    assert frame.m.map(list).tolist() == rows["m"].tolist()
    assert [value["imag"] for value in frame.c] == list(range(10))


def test_tasks_hold_no_data(table):
    from blpk.dask import to_dask_dataframe

    assert len(pickle.dumps(to_dask_dataframe(table, rows=100_000))) < 20_000


def test_small_tables(tmp_path, rows):
    from blpk.dask import to_dask_dataframe

    assert len(to_dask_dataframe(make(tmp_path / "empty", rows[:0]))) == 0
    assert to_dask_dataframe(make(tmp_path / "one", rows[:1])).n.sum().compute() == 0
    with pytest.raises(ValueError, match="rows"):
        to_dask_dataframe(tmp_path / "one", rows=0)
    for one in (tmp_path / "one", blpk.open(tmp_path / "one")):
        with pytest.raises(ValueError, match="at least one column"):
            to_dask_dataframe(one, columns=[])


def test_changed_table(tmp_path):
    from blpk.dask import to_dask_dataframe

    table = _table.create(tmp_path / "t", [("a", "i4")])
    table.append([[1, 2]])
    before = to_dask_dataframe(table)
    table.append([[3]])
    after = to_dask_dataframe(table)
    assert after._name != before._name and after.a.sum().compute() == 6


@pytest.mark.parametrize("name", ["a.b2nd", "a.blp", "a.bcolz", "a.npy"])
def test_arrays(tmp_path, name):
    from blpk.dask import to_dask

    values = np.arange(60_000.0).reshape(300, 200)
    blpk.save(tmp_path / name, values, chunks=(50, 100) if name.endswith("b2nd") else None)
    array = to_dask(tmp_path / name)
    assert (array.shape, array.dtype) == (values.shape, values.dtype)
    np.testing.assert_array_equal((array + 1).sum(axis=1).compute(), (values + 1).sum(axis=1))
    np.testing.assert_array_equal(array[::7, 3].compute(), values[::7, 3])
    assert to_dask(tmp_path / name).name == array.name
    assert to_dask(tmp_path / name, chunks=(100, 200)).chunks == ((100, 100, 100), (200,))
    blpk.save(tmp_path / name, values * 2, overwrite=True)
    assert to_dask(tmp_path / name).name != array.name
    assert len(pickle.dumps(array)) < 20_000


def test_what_is_no_array(table, tmp_path):
    from blpk.dask import to_dask

    with pytest.raises(TypeError, match="Table"):
        to_dask(table.path)
    assert blpk.open(table.path)[:2]["n"].tolist() == [0, 1]


def test_a_change_of_any_column_gives_tasks_another_name(table):
    from blpk.dask import to_dask_dataframe

    def name():
        return to_dask_dataframe(table.path).x._name

    before = name()
    assert name() == before
    # The last column: other programs may replace its items.
    os.utime(os.path.join(table.path, table.names[-1], "meta", "sizes"), ns=(1, 1))
    assert name() != before


def _slow(frame):
    time.sleep(0.2)
    return frame


def test_cluster_of_processes(table, rows):
    distributed = pytest.importorskip("distributed")
    import dask.array as da

    from blpk.dask import to_dask_dataframe

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        check(to_dask_dataframe(table.path, rows=7000), rows)
        assert da.from_array(table["n"], chunks=3000).sum().compute() == rows["n"].sum()
        # A worker dies in the middle.
        frame = to_dask_dataframe(table.path, rows=2000).map_partitions(_slow)
        total = client.compute(frame.n.sum())
        time.sleep(0.7)
        assert not total.done()
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        assert total.result(timeout=60) == rows["n"].sum()
