"""One array of many files, on two processes: references and Dask.

    pip install ./crates/blpk-python 'zarr>=3.1' fsspec 'dask[array,distributed]'
    python crates/blpk-python/examples/scale.py
"""

import tempfile
from pathlib import Path

import blpk
import dask.array as da
import fsspec
import numpy as np
import zarr
from dask.distributed import Client, LocalCluster
from zarr.storage import FsspecStore


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # A file for each day, in chunks of whole rows.
        rng = np.random.default_rng(1)
        paths = [Path(folder) / f"day{day:03}.blp" for day in range(10)]
        for path in paths:
            prices = np.round(100 + np.cumsum(rng.normal(size=(20_000, 8)), axis=0), 2)
            blpk.save(path, prices, chunks=(5_000, 8))

        # Where each chunk is. Nothing is copied.
        references = blpk.reference(paths)
        fs = fsspec.filesystem("reference", fo=references, asynchronous=True)
        array = zarr.open(FsspecStore(fs, read_only=True, path=""), mode="r", zarr_format=2)
        print(array.shape, array.chunks)

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            prices = da.from_zarr(array)
            print("mean", prices.mean(axis=0).compute().round(3))
            window = da.lib.stride_tricks.sliding_window_view(prices, 100, axis=0).mean(axis=-1)
            print("largest rolling mean", window.max(axis=0).compute().round(3))


if __name__ == "__main__":
    main()
