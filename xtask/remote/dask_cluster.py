"""Dask on two processes: arrays in place, over files and over an S3 API, equal to NumPy. A worker is killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import blpk as package
import dask.array as da
import numpy as np
import pytest
import zarr
from dask.distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).parent))
from _common import blpk, opened, references, run_tests  # noqa: E402
from _servers import s3, upload  # noqa: E402

#: Seconds for a computation.
WAIT = 120


@pytest.fixture(scope="module")
def client():
    # A nanny for each worker, which starts another process for one that is killed.
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster, timeout=30) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


def expect_equal(array: da.Array, items: np.ndarray, window: int = 50) -> None:
    """Compare the mean and a rolling mean with NumPy's."""
    np.testing.assert_allclose(array.mean(axis=0).compute(), items.mean(axis=0), rtol=1e-12)
    rolling = da.lib.stride_tricks.sliding_window_view(array, window, axis=0).mean(axis=-1).compute()
    expected = np.lib.stride_tricks.sliding_window_view(items, window, axis=0).mean(axis=-1)
    np.testing.assert_allclose(rolling, expected, rtol=1e-12)


def series(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    """Return random walks, rounded as prices are."""
    steps = np.random.default_rng(seed).normal(size=(rows, columns))
    return np.round(100 + np.cumsum(steps, axis=0), 2)


def on_s3(refs: dict[str, Any], variables: dict[str, str]) -> Any:
    """Open references to S3 as zarr does in each worker."""
    options = {
        "key": variables["AWS_ACCESS_KEY_ID"],
        "secret": variables["AWS_SECRET_ACCESS_KEY"],
        "client_kwargs": {"endpoint_url": variables["AWS_ENDPOINT_URL"]},
        "asynchronous": True,
    }
    return opened(refs, remote_protocol="s3", remote_options=options)


def test_local_references(client, tmp_path):
    """A directory of .blp files, one for each day, as one array."""
    items = series(20_000, 10)
    names = []
    for day, part in enumerate(np.split(items, [8000, 16_000])):
        package.save(tmp_path / f"day{day}.blp", part, chunks=(2000, 10))
        names.append(f"day{day}.blp")
    array = da.from_zarr(opened(references(tmp_path, *names)))
    assert array.chunks[0] == (2000,) * 10
    expect_equal(array, items)


def writes_zarr() -> bool:
    """Whether this `blpk` converts to Zarr."""
    return ".zarr" in blpk("convert", "--help").stdout


@pytest.mark.skipif("not writes_zarr()", reason="this blpk does not write Zarr")
def test_zarr_from_a_table(client, tmp_path):
    """A bcolz table as a Zarr group, whose arrays Dask reads."""
    rows = 100_000
    table = package.create_table(tmp_path / "bars", [("close", "f8"), ("volume", "i8")])
    close, volume = series(rows, 1)[:, 0], np.arange(rows) % 1000
    table.append([close, volume])
    blpk("convert", tmp_path / "bars", tmp_path / "bars.zarr")
    group = zarr.open(tmp_path / "bars.zarr", mode="r")
    expect_equal(da.from_zarr(group["close"]), close)
    np.testing.assert_array_equal(da.from_zarr(group["volume"]).compute(), volume)


def test_b2nd_on_s3(client, tmp_path):
    """A b2nd array through references on an S3 API. Workers read the chunks, the client reads none."""
    items = series(30_000, 16)
    package.save(tmp_path / "walks.b2nd", items, chunks=(3000, 16), blocks=(300, 16))
    refs = references(tmp_path, "--base", "s3://bucket/data", "walks.b2nd")
    with s3() as variables:
        upload(variables, tmp_path / "walks.b2nd", "data/walks.b2nd")
        array = da.from_zarr(on_s3(refs, variables))
        expect_equal(array, items)
        np.testing.assert_array_equal(array[12_345:12_350].compute(), items[12_345:12_350])


def test_table_on_s3(client, tmp_path):
    rows = 100_000
    table = package.create_table(tmp_path / "bars", [("close", "f8"), ("volume", "i8")])
    close, volume = series(rows, 1)[:, 0], np.arange(rows) % 1000
    table.append([close, volume])
    refs = references(tmp_path, "--base", "s3://bucket", "bars")
    with s3() as variables:
        upload(variables, tmp_path / "bars", "bars")
        group = on_s3(refs, variables)
        expect_equal(da.from_zarr(group["close"]), close)
        weighted = (da.from_zarr(group["close"]) * da.from_zarr(group["volume"])).sum() / volume.sum()
        np.testing.assert_allclose(weighted.compute(), (close * volume).sum() / volume.sum())


def test_to_dask(client, tmp_path):
    """The package's own collections: tasks hold the path."""
    items = series(20_000, 10)
    package.save(tmp_path / "a.b2nd", items, chunks=(2000, 10))
    expect_equal(package.to_dask(tmp_path / "a.b2nd"), items)


def test_killed_worker(client, tmp_path):
    """A worker is killed while it computes. Its tasks run again elsewhere, and the result is the same."""
    items = series(40_000, 16, seed=2)
    package.save(tmp_path / "a.b2nd", items, chunks=(1000, 16))
    array = da.from_zarr(opened(references(tmp_path, "a.b2nd")))

    def slowly(block: np.ndarray) -> np.ndarray:
        time.sleep(0.1)
        return block

    future = client.compute(array.map_blocks(slowly, dtype=array.dtype).mean(axis=0), retries=2)
    pids = dict(client.run(os.getpid))
    assert len(pids) == 2
    time.sleep(0.7)
    assert not future.done()
    killed = next(iter(pids.values()))
    os.kill(killed, signal.SIGKILL)
    np.testing.assert_allclose(future.result(timeout=WAIT), items.mean(axis=0), rtol=1e-12)
    client.wait_for_workers(2, timeout=60)
    assert killed not in client.run(os.getpid).values()


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
