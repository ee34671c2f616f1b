"""Arrays as collections of dask: in threads, and on a cluster of processes with less memory than the array."""

import os
import signal
import time

import numpy as np
import pytest

import blpk

dask_array = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

#: 800 MB in rows of 400 kB.
SHAPE = (2000, 50_000)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("dask") / "large.b2nd")
    array = blpk.create(path, SHAPE, "f8", chunks=(50, 50_000), codec="lz4")
    columns = np.arange(SHAPE[1])
    for start in range(0, SHAPE[0], 50):
        array[start : start + 50] = np.arange(start, start + 50)[:, None] * 3 + columns
    return path


def slowly(block):
    """Give the test time to kill a worker in the middle."""
    time.sleep(0.15)
    return block


def expected_means():
    return np.arange(SHAPE[0]).mean() * 3 + np.arange(SHAPE[1])


def test_a_change_gives_tasks_another_name(tmp_path):
    path = tmp_path / "a.b2nd"
    blpk.save(path, np.arange(20.0))
    names = {dask_array.from_array(blpk.open(path)).name for _ in range(2)}
    before = dask_array.from_array(blpk.open(path)).persist()
    blpk.open(path, "r+")[:] = 0
    after = dask_array.from_array(blpk.open(path))
    assert len(names) == 1 and (before.sum() - after.sum()).compute() == 190
    content = path.read_bytes()
    assert len({dask_array.from_array(blpk.open(content)).name for _ in range(2)}) == 1


def test_own_chunks(path):
    array = blpk.open(path)
    collection = dask_array.from_array(array, chunks=array.chunks)
    assert collection.chunks[0][0] == 50 and collection.dtype == array.dtype
    np.testing.assert_array_equal(collection[100:103, ::10_000].compute(scheduler="threads"), array[100:103, ::10_000])


@pytest.mark.parametrize("format", ["a.blp", "a.bcolz", "a.npy", "a.b2nd"])
def test_every_format(tmp_path, format):
    items = np.arange(60_000).reshape(300, 200)
    blpk.save(tmp_path / format, items)
    collection = blpk.to_dask(tmp_path / format)
    np.testing.assert_array_equal((collection + 1).compute(scheduler="threads"), items + 1)


@pytest.mark.parametrize("version", [2, 3])
def test_changed_chunks_have_other_names(tmp_path, version):
    """A scheduler that keeps results by their names must not take those of the old items."""
    zarr = pytest.importorskip("zarr")
    path = str(tmp_path / "a.zarr")
    array = zarr.create_array(path, shape=(40,), chunks=(10,), dtype="i4", zarr_format=version)
    array[:] = 1
    first, again = blpk.to_dask(path), blpk.to_dask(path)
    array[:] = 5
    changed = blpk.to_dask(path)
    assert first.name == again.name != changed.name
    assert changed.sum().compute(scheduler="threads") == 200


@pytest.mark.parametrize("kills", [False, True], ids=["calm", "a worker killed"])
def test_an_array_larger_than_the_workers(path, kills):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit="380MB", dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        assert np.prod(SHAPE) * 8 > 2 * 380e6
        collection = blpk.to_dask(path, chunks=(50, 50_000))
        if kills:
            collection = collection.map_blocks(slowly, dtype=collection.dtype)
        means = client.compute(collection.mean(axis=0))
        if kills:
            time.sleep(1.5)
            assert not means.done()
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        np.testing.assert_allclose(means.result(timeout=240), expected_means())
