"""`blpk reference` of Zarr arrays and groups: zarr-python reads the chunks through references, equal to the original."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec
from zarr.storage import ZipStore

sys.path.insert(0, str(Path(__file__).parent))
from _common import blpk, items_of, opened, references, run_tests  # noqa: E402

COMPRESSORS: dict[str, list[Any]] = {
    "none": [],
    "blosc": [BloscCodec(cname="zstd")],
    "zstd": [ZstdCodec(level=3)],
    "gzip": [GzipCodec()],
    "crc32c": [Crc32cCodec()],
    "zstd and crc32c": [ZstdCodec(), Crc32cCodec()],
}


def chunk_keys(refs: dict[str, Any]) -> list[str]:
    """Return the keys of chunks."""
    return [key for key in refs["refs"] if not key.rsplit("/", 1)[-1].startswith(".")]


@pytest.mark.parametrize("name", COMPRESSORS)
@pytest.mark.parametrize("shards", [None, (32, 40)], ids=["chunks", "shards"])
@pytest.mark.parametrize("dtype", ["<f8", ">i2", "S3", "?"])
def test_version_3(tmp_path, name, shards, dtype):
    items = items_of((60, 50), dtype)
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=items.shape,
        dtype=items.dtype,
        chunks=(16, 20),
        shards=shards,
        compressors=COMPRESSORS[name] or None,
        serializer=BytesCodec(endian="big") if dtype == ">i2" else "auto",
        attributes={"unit": "m"},
        dimension_names=["y", "x"],
    )
    array[...] = items
    refs = references(tmp_path, "a.zarr")
    found = opened(refs)
    assert found.chunks == (16, 20) and found.attrs["unit"] == "m"
    assert found.attrs["_ARRAY_DIMENSIONS"] == ["y", "x"]
    np.testing.assert_array_equal(found[...], items)
    # Each chunk is a range of a file of the store.
    stored = {str(path) for path in (tmp_path / "a.zarr").rglob("c/*/*")}
    values = [refs["refs"][key] for key in chunk_keys(refs)]
    assert {value[0].removeprefix("file://") for value in values} <= stored
    assert len(values) == 12 and len(stored) == (4 if shards else 12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("compressor", ["blosc", "zlib", "none"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_version_2(tmp_path, order, compressor, separator):
    import numcodecs

    items = items_of((60, 50, 7), "<i4")
    codecs = {"blosc": numcodecs.Blosc(), "zlib": numcodecs.Zlib(), "none": None}
    array = zarr.create(
        store=str(tmp_path / "a.zarr"),
        zarr_format=2,
        shape=items.shape,
        dtype=items.dtype,
        chunks=(16, 20, 5),
        compressor=codecs[compressor],
        order=order,
        dimension_separator=separator,
        fill_value=None,
    )
    array[...] = items
    found = opened(references(tmp_path, "a.zarr"))
    assert found.order == order and found.fill_value is None
    np.testing.assert_array_equal(found[...], items)


@pytest.mark.parametrize("fill", [0, -7])
def test_missing_chunks(tmp_path, fill):
    items = np.full((40, 30), fill, "<i4")
    items[12, 3] = 5
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=items.shape, dtype="<i4", chunks=(10, 30), compressors=BloscCodec(), fill_value=fill
    )
    array[...] = items
    refs = references(tmp_path, "a.zarr")
    assert chunk_keys(refs) == ["1.0"] and opened(refs).fill_value == fill
    np.testing.assert_array_equal(opened(refs)[...], items)
    # With names, zeros are items: xarray would take a fill value of zero for missing ones.
    refs = references(tmp_path, "--dims", "y,x", "a.zarr")
    assert len(chunk_keys(refs)) == (1 if fill else 4)
    np.testing.assert_array_equal(opened(refs)[...], items)


def test_sparse(tmp_path):
    array = zarr.create_array(tmp_path / "a.zarr", shape=(1 << 40,), dtype="<i8", chunks=(1000,))
    array[5_000_000_000] = 9
    refs = references(tmp_path, "a.zarr")
    assert chunk_keys(refs) == ["5000000"]
    assert opened(refs)[5_000_000_000] == 9 and opened(refs)[7] == 0


def test_no_axes_and_no_items(tmp_path):
    for name, items in {"a": np.array(5.0), "b": np.empty((0, 3)), "c": np.empty(0, "i4")}.items():
        array = zarr.create_array(tmp_path / f"{name}.zarr", shape=items.shape, dtype=items.dtype)
        array[...] = items
        found = opened(references(tmp_path, f"{name}.zarr"))
        assert found.shape == items.shape and found.dtype == items.dtype
        np.testing.assert_array_equal(found[...], items)


@pytest.mark.parametrize("version", [2, 3])
def test_groups(tmp_path, version):
    group = zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=version, attributes={"title": "t"})
    columns = {"price": items_of((1000,), "<f8"), "box": items_of((300, 4), "<i2")}
    for name, items in columns.items():
        array = group.create_array(name, shape=items.shape, dtype=items.dtype, chunks=(100, *items.shape[1:]))
        array[...] = items
    found = opened(references(tmp_path, "g.zarr"))
    assert sorted(found) == ["box", "price"] and found.attrs["title"] == "t"
    for name, items in columns.items():
        np.testing.assert_array_equal(found[name][...], items)


def test_zip_archives(tmp_path):
    items = items_of((100, 30), "<f8")
    with ZipStore(tmp_path / "a.zip", mode="w") as store:
        zarr.create_array(store, shape=items.shape, dtype="<f8", chunks=(30, 30))[...] = items
    with ZipStore(tmp_path / "g.zip", mode="w") as store:
        group = zarr.create_group(store)
        group.create_array("x", shape=items.shape, dtype="<f8", chunks=(30, 30), shards=(60, 30))[...] = items
    refs = references(tmp_path, "a.zip")
    np.testing.assert_array_equal(opened(refs)[...], items)
    assert {refs["refs"][key][0] for key in chunk_keys(refs)} == {f"file://{tmp_path}/a.zip"}
    np.testing.assert_array_equal(opened(references(tmp_path, "g.zip"))["x"][...], items)
    # A chunk that the archive compresses again is no range of the archive.
    import zipfile

    with ZipStore(tmp_path / "d.zip", mode="w", compression=zipfile.ZIP_DEFLATED) as store:
        zarr.create_array(store, shape=items.shape, dtype="<f8", chunks=(30, 30))[...] = items
    error = blpk("reference", "-o", tmp_path / "d.json", tmp_path / "d.zip", check=False)
    assert error.returncode == 1 and "the zip archive stores the file compressed" in error.stderr, error.stderr


def test_joins(tmp_path):
    items = items_of((96, 20), "<f8")
    for number, part in enumerate(np.split(items, [32, 64])):
        path = tmp_path / f"{number}.zarr"
        array = zarr.create_array(path, shape=part.shape, dtype="<f8", chunks=(16, 20), compressors=BloscCodec())
        array[...] = part
    # A Zarr array and a carray have chunks of the same codec.
    blpk("convert", "--recompress", "--chunkshape", "16", tmp_path / "1.zarr", tmp_path / "1.bcolz")
    for middle in ("1.zarr", "1.bcolz"):
        found = opened(references(tmp_path, "0.zarr", middle, "2.zarr"))
        np.testing.assert_array_equal(found[...], items)
    other = zarr.create_array(tmp_path / "f.zarr", shape=(32, 20), dtype="<f8", chunks=(16, 20), fill_value=1)
    other[...] = 2
    for path, expected in [("f.zarr", "codec is zstd, but blosc"), ("2.zarr", "")]:
        error = blpk("-f", "reference", "-o", tmp_path / "e", tmp_path / "0.zarr", tmp_path / path, check=False)
        assert expected in error.stderr and bool(error.returncode) == bool(expected), error.stderr


def test_what_does_not_fit(tmp_path):
    def created(name: str, **options: Any) -> None:
        zarr.create_array(tmp_path / name, dtype="<f8", fill_value=1, **options)[...] = 2

    created("t.zarr", shape=(4, 5, 6), chunks=(2, 5, 6), filters=[TransposeCodec(order=(1, 0, 2))])
    group = zarr.create_group(tmp_path / "g.zarr")
    group.create_group("x").create_array("y", shape=(3,), dtype="<f8")
    for name, expected in [
        ("t.zarr", "its axes are stored in an order that Zarr format 2 does not have"),
        ("g.zarr", '"x/y" cannot be the name of a Zarr array'),
    ]:
        error = blpk("reference", "-o", tmp_path / "e.json", tmp_path / name, check=False)
        assert error.returncode == 1 and expected in error.stderr, error.stderr
        assert not (tmp_path / "e.json").exists()


def test_below_a_url(tmp_path):
    items = items_of((100,), "<f8")
    zarr.create_array(tmp_path / "a.zarr", shape=(100,), dtype="<f8", chunks=(30,))[...] = items
    refs = references(tmp_path, "--base", "s3://bucket/data", "--name", "x", "a.zarr")
    assert refs["refs"]["x/1"][0] == "s3://bucket/data/a.zarr/c/1"
    assert json.loads(refs["refs"]["x/.zarray"])["zarr_format"] == 2


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
