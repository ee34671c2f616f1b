"""What a part of an array costs over HTTP, in requests and bytes, by format; and references and Dask on the same files.

    python xtask/bench/remote.py path/to/blpk

Needs the venv of `cargo xtask remote` (`target/python/venv`) and nginx. The tables of docs/scale.md are its output.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import blpk as package
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "remote"))
from _common import blpk, opened  # noqa: E402
from _servers import nginx  # noqa: E402

ROWS, COLUMNS = 2_000_000, 10
#: Chunks of about 1.2 MB.
CHUNKS = (16_000, COLUMNS)


def main() -> None:
    os.environ["BLPK"] = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        steps = np.random.default_rng(1).normal(size=(ROWS, COLUMNS))
        items = np.round(100 + np.cumsum(steps, axis=0), 2)
        for ending in (".b2nd", ".bcolz", ".blp"):
            package.save(folder / f"a{ending}", items, chunks=CHUNKS)
        np.save(folder / "a.npy", items)
        parts(folder, items)
        references(folder, items)


def size(path: Path) -> int:
    return sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())


def parts(folder: Path, items: np.ndarray) -> None:
    """Print what `blpk cat` requests for parts of the array."""
    selections = {"10 rows": "1000000:1000010", "1% of the rows": "1000000:1020000", "one row in 100 000": "::100000"}
    print(f"NumPy's file has {size(folder / 'a.npy') / 1e6:.1f} MB.\n")
    print(f"| format | MB | {' | '.join(selections)} | everything |")
    print("|---|---:|" + "---:|" * (len(selections) + 1))
    for ending in (".b2nd", ".blp", ".bcolz"):
        cells = []
        for selection in [*selections.values(), ":"]:
            scratch = Path(tempfile.mkdtemp(dir=folder))
            with nginx(folder, scratch / "nginx") as url:
                blpk("cat", "--slice", selection, f"{url}/a{ending}")
            log = [line.split() for line in (scratch / "nginx/access.log").read_text().splitlines()]
            nbytes = sum(int(line[-1]) for line in log)
            cells.append(f"{len(log)} / {nbytes / 1e6:.2f} MB")
        print(f"| `{ending}` | {size(folder / f'a{ending}') / 1e6:.1f} | {' | '.join(cells)} |")
    print("\n| through references | 10 rows | 1% of the rows |\n|---|---:|---:|")
    for ending in (".b2nd", ".blp", ".bcolz"):
        cells = []
        for rows in (slice(1_000_000, 1_000_010), slice(1_000_000, 1_020_000)):
            scratch = Path(tempfile.mkdtemp(dir=folder))
            with nginx(folder, scratch / "nginx") as url:
                refs = json.loads(json.dumps(package.reference(folder / f"a{ending}")).replace(f"file://{folder}", url))
                array = opened(refs, remote_protocol="http", remote_options={"asynchronous": True})
                np.testing.assert_array_equal(array[rows], items[rows])
            log = [line.split() for line in (scratch / "nginx/access.log").read_text().splitlines()]
            cells.append(f"{len(log)} / {sum(int(line[-1]) for line in log) / 1e6:.2f} MB")
        print(f"| `{ending}` | {' | '.join(cells)} |")


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def references(folder: Path, items: np.ndarray) -> None:
    """Print the size of references, the time to make them, and the time of Dask on them."""
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    print("\n| format | chunks | references | to make them | mean by Dask, 1 process | 2 processes |")
    print("|---|---:|---:|---:|---:|---:|")
    for ending in (".b2nd", ".blp", ".bcolz"):
        seconds, refs = timed(lambda ending=ending: package.reference(folder / f"a{ending}"))
        text = json.dumps(refs)
        chunks = len([key for key in refs["refs"] if not key.startswith(".")])
        times = []
        for workers in (1, 2):
            with (
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster) as client,
            ):
                client.wait_for_workers(workers)
                # One chunk of dask holds eight of the file.
                array = da.from_zarr(opened(refs), chunks=(8 * CHUNKS[0], COLUMNS))
                best = min(timed(lambda array=array: array.mean(axis=0).compute())[0] for _ in range(3))
                times.append(best)
                np.testing.assert_allclose(array.mean(axis=0).compute(), items.mean(axis=0))
        cells = [f"{chunks}", f"{len(text) / 1e3:.1f} kB", f"{seconds * 1e3:.1f} ms"]
        print(f"| `{ending}` | {' | '.join(cells)} | {times[0]:.2f} s | {times[1]:.2f} s |")
    seconds = min(timed(lambda: items.mean(axis=0))[0] for _ in range(3))
    print(f"\nNumPy's mean of the array in memory: {seconds:.2f} s")


if __name__ == "__main__":
    main()
