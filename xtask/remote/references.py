"""`blpk reference`: zarr-python reads every format through fsspec's reference file system, equal to NumPy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import blpk as package
import blosc2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _common import blpk, items_of, opened, references, run_tests  # noqa: E402

DTYPES = ["<f8", "<f4", ">i4", "<u2", "u1", "?", "<c16", "<M8[ns]", "S5", "<U3", [("a", "<i4"), ("b", "<f8")]]
SHAPES = [
    ((1000,), (300,), (70,)),
    ((40, 50), (15, 20), (7, 20)),
    ((9, 8, 7), (4, 4, 4), (2, 3, 4)),
    ((5, 4, 6, 3), (2, 3, 4, 2), (1, 2, 3, 2)),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_b2nd_dtypes(tmp_path, dtype):
    items = items_of((60, 50), dtype)
    package.save(tmp_path / "a.b2nd", items, chunks=(16, 20), blocks=(5, 20))
    array = opened(references(tmp_path, "a.b2nd"))
    assert array.chunks == (16, 20)
    np.testing.assert_array_equal(array[...], items)


@pytest.mark.parametrize("shape, chunks, blocks", SHAPES, ids=str)
@pytest.mark.parametrize("contiguous", [True, False])
def test_b2nd_of_blosc2(tmp_path, shape, chunks, blocks, contiguous):
    items = items_of(shape, "<f8")
    path = tmp_path / "a.b2nd"
    blosc2.asarray(items, urlpath=str(path), chunks=chunks, blocks=blocks, contiguous=contiguous)
    assert path.is_dir() != contiguous
    refs = references(tmp_path, "a.b2nd")
    np.testing.assert_array_equal(opened(refs)[...], items)
    files = {value[0] for value in refs["refs"].values() if isinstance(value, list)}
    assert files == {f"file://{path}"} if contiguous else len(files) > 1


def test_special_chunks(tmp_path):
    path = str(tmp_path / "a.b2nd")
    array = blosc2.nans((40, 30), urlpath=path, chunks=(10, 30), blocks=(5, 30), dtype="<f8")
    items = np.full((40, 30), np.nan)
    array[10:20] = items[10:20] = 7.0
    array[20:30] = items[20:30] = np.arange(300).reshape(10, 30)
    refs = references(tmp_path, "a.b2nd")
    np.testing.assert_array_equal(opened(refs)[...], items)
    assert any(isinstance(value, str) and value.startswith("base64:") for value in refs["refs"].values())
    zeros = str(tmp_path / "z.b2nd")
    array = blosc2.zeros((40, 30), urlpath=zeros, chunks=(10, 30), blocks=(5, 30), dtype="<f8")
    array[35] = 1
    refs = references(tmp_path, "z.b2nd")
    assert [key for key in refs["refs"] if not key.startswith(".")] == ["3.0"]
    assert opened(refs)[...].sum() == 30
    refs = references(tmp_path, "--dims", "y,x", "z.b2nd")
    assert len([key for key in refs["refs"] if not key.startswith(".")]) == 4
    assert opened(refs)[...].sum() == 30 and opened(refs).fill_value is None


def test_no_axes_and_no_items(tmp_path):
    for name, items in {"a": np.array(5.0), "b": np.empty((0, 3)), "c": np.empty(0, "i4")}.items():
        for ending in (".b2nd", ".blp"):
            package.save(tmp_path / f"{name}{ending}", items)
            found = opened(references(tmp_path, f"{name}{ending}"))
            assert found.shape == items.shape and found.dtype == items.dtype
            np.testing.assert_array_equal(found[...], items)


@pytest.mark.parametrize("dtype", ["<f8", "<i2", "S5", "?", "<M8[s]"])
def test_carrays(tmp_path, dtype):
    for shape in [(10_000,), (500, 7), (20, 3, 4)]:
        items = items_of(shape, dtype)
        package.save(tmp_path / f"{len(shape)}.bcolz", items, chunks=(max(shape[0] // 3, 1), *shape[1:]))
        refs = references(tmp_path, f"{len(shape)}.bcolz")
        np.testing.assert_array_equal(opened(refs)[...], items)
        inline = [value for value in refs["refs"].values() if isinstance(value, str) and value.startswith("base64:")]
        assert len(inline) <= 1


def test_table(tmp_path):
    table = package.create_table(tmp_path / "t", [("price", "f8"), ("name", "S4"), ("box", "i4", (2, 3))])
    rows = 50_000
    price, name = np.arange(rows) / 3, np.tile([b"ab", b"xyz"], rows // 2)
    box = np.arange(rows * 6, dtype="i4").reshape(rows, 2, 3)
    table.append([price, name, box])
    table.attrs["unit"] = "EUR"
    group = opened(references(tmp_path, "t"))
    assert sorted(group) == ["box", "name", "price"] and group.attrs["unit"] == "EUR"
    for column, items in {"price": price, "name": name, "box": box}.items():
        np.testing.assert_array_equal(group[column][...], items)


@pytest.mark.parametrize("checksum", ["None", "adler32", "sha512"])
def test_bloscpack(tmp_path, checksum):
    items = items_of((1000, 64), "<f8")
    np.save(tmp_path / "a.npy", items)
    blpk("convert", "-z", 64 * 8 * 300, "-k", checksum, tmp_path / "a.npy", tmp_path / "a.blp")
    refs = references(tmp_path, "a.blp")
    array = opened(refs)
    assert array.chunks == (300, 64)
    np.testing.assert_array_equal(array[...], items)
    # A part of a row each.
    blpk("-f", "convert", "-z", 64 * 2, "-k", checksum, tmp_path / "a.npy", tmp_path / "a.blp")
    array = opened(references(tmp_path, "a.blp"))
    assert array.chunks == (1, 16)
    np.testing.assert_array_equal(array[5:20], items[5:20])


def test_fortran_order(tmp_path):
    items = np.asfortranarray(items_of((50, 40), "<i4"))
    np.save(tmp_path / "a.npy", items)
    blpk("convert", "-z", 50 * 4 * 12, tmp_path / "a.npy", tmp_path / "a.blp")
    refs = references(tmp_path, "a.blp")
    assert json.loads(refs["refs"][".zarray"])["order"] == "F"
    array = opened(refs)
    assert array.chunks == (50, 12)
    np.testing.assert_array_equal(array[...], items)


def test_what_does_not_fit(tmp_path):
    items = items_of((100, 33), "<f8")
    np.save(tmp_path / "a.npy", items)
    blpk("convert", "-z", "4K", tmp_path / "a.npy", tmp_path / "a.blp")
    refused = blpk("reference", "-o", tmp_path / "refs.json", tmp_path / "a.blp", check=False)
    assert refused.returncode == 1 and "convert" in refused.stderr
    (tmp_path / "raw").write_bytes(bytes(1000))
    blpk("compress", tmp_path / "raw", tmp_path / "raw.blp")
    refused = blpk("reference", "-o", tmp_path / "refs.json", tmp_path / "raw.blp", check=False)
    assert refused.returncode == 1 and "--dtype" in refused.stderr
    assert not (tmp_path / "refs.json").exists()


@pytest.mark.parametrize("ending", [".b2nd", ".bcolz", ".blp"])
@pytest.mark.parametrize("last", [20, 33])
def test_joined(tmp_path, ending, last):
    parts = [items_of((rows, 30), "<f8") + number for number, rows in enumerate((40, 20, last))]
    if ending == ".b2nd":
        save = [dict(chunks=(20, 11), blocks=(5, 11))] * 3
    else:
        save = [dict(chunks=(20, 30))] * 3
    for number, (part, options) in enumerate(zip(parts, save)):
        package.save(tmp_path / f"{number}{ending}", part, **options)
    names = [f"{number}{ending}" for number in range(3)]
    np.testing.assert_array_equal(opened(references(tmp_path, *names))[...], np.concatenate(parts))
    refused = blpk("reference", "-o", tmp_path / "x.json", *(tmp_path / name for name in names[::-1]), check=False)
    if last == 33:
        assert refused.returncode == 1 and names[2] in refused.stderr and "chunk" in refused.stderr


def test_short_files_joined(tmp_path):
    """Files of one chunk each, of which the last is shorter."""
    parts = [items_of((rows, 30), "<f8") + rows for rows in (40, 40, 13)]
    for number, part in enumerate(parts):
        package.save(tmp_path / f"{number}.blp", part)
    array = opened(references(tmp_path, "0.blp", "1.blp", "2.blp"))
    assert array.chunks == (40, 30)
    np.testing.assert_array_equal(array[...], np.concatenate(parts))


def test_other_axes(tmp_path):
    parts = [items_of((40, columns), "<i4") + columns for columns in (30, 10, 25)]
    for number, part in enumerate(parts):
        package.save(tmp_path / f"{number}.b2nd", part, chunks=(16, 10), blocks=(8, 5))
    names = [f"{number}.b2nd" for number in range(3)]
    array = opened(references(tmp_path, "--axis", 1, *names))
    np.testing.assert_array_equal(array[...], np.concatenate(parts, axis=1))
    same = [items_of((40, 30), "<i4") + number for number in range(3)]
    for ending in (".b2nd", ".bcolz", ".blp"):
        for number, part in enumerate(same):
            package.save(tmp_path / f"s{number}{ending}", part, chunks=(16, 30))
        names = [f"s{number}{ending}" for number in range(3)]
        for axis in range(3):
            array = opened(references(tmp_path, "--new-axis", "--axis", axis, *names))
            np.testing.assert_array_equal(array[...], np.stack(same, axis=axis))


def test_inputs_that_differ(tmp_path):
    package.save(tmp_path / "a.b2nd", items_of((40, 30), "<f8"), chunks=(20, 30), blocks=(10, 30))
    for name, items, chunks in [
        ("dtype", items_of((40, 30), "<f4"), (20, 30)),
        ("shape", items_of((40, 31), "<f8"), (20, 31)),
        ("chunks", items_of((40, 30), "<f8"), (10, 30)),
    ]:
        package.save(tmp_path / f"{name}.b2nd", items, chunks=chunks, blocks=(10, 30) if name != "shape" else (10, 31))
        refused = blpk("reference", "-o", "-", tmp_path / "a.b2nd", tmp_path / f"{name}.b2nd", check=False)
        assert refused.returncode == 1 and f"{name}.b2nd" in refused.stderr, refused.stderr


def test_tables_joined(tmp_path):
    for number in range(2):
        table = package.create_table(tmp_path / f"{number}", [("x", "f8")], chunklen=100)
        table.append([np.arange(200.0) + 200 * number])
    np.testing.assert_array_equal(opened(references(tmp_path, "0", "1"))["x"][:], np.arange(400.0))


def test_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    items = items_of((40, 30), "<f8")
    package.save(tmp_path / "a.b2nd", items, chunks=(20, 30))
    array = package.open(tmp_path / "a.b2nd", "r+")
    array.attrs["unit"] = "m/s"
    refs = references(tmp_path, "--name", "wind", "--dims", "time,x", "a.b2nd")
    from zarr.storage import FsspecStore
    import fsspec

    store = FsspecStore(fsspec.filesystem("reference", fo=refs, asynchronous=True), read_only=True, path="")
    data = xarray.open_zarr(store, consolidated=False, chunks=None)
    assert data.wind.dims == ("time", "x") and data.wind.attrs["unit"] == "m/s"
    np.testing.assert_array_equal(data.wind.values, items)


@pytest.mark.parametrize("ending", [".b2nd", ".bcolz", ".blp"])
def test_virtualizarr(tmp_path, ending):
    virtualizarr = pytest.importorskip("virtualizarr")
    from obstore.store import LocalStore
    from virtualizarr.parsers import KerchunkJSONParser
    from virtualizarr.registry import ObjectStoreRegistry

    items = items_of((40, 30), "<f8")
    package.save(tmp_path / f"a{ending}", items, chunks=(20, 30))
    references(tmp_path, "--name", "wind", "--dims", "time,x", f"a{ending}")
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    url = f"file://{tmp_path}/refs.json"
    parser = KerchunkJSONParser()
    with virtualizarr.open_virtual_dataset(url, registry=registry, parser=parser) as data:
        assert data.wind.shape == (40, 30) and data.wind.dims == ("time", "x")
    import xarray

    store = parser(url=url, registry=registry)
    loaded = xarray.open_zarr(store, consolidated=False, zarr_format=3, chunks=None)
    np.testing.assert_array_equal(loaded.wind.values, items)


def test_base(tmp_path):
    (tmp_path / "d").mkdir()
    package.save(tmp_path / "d/a.b2nd", np.arange(100.0))
    refs = references(tmp_path, "--base", "s3://bucket/data/", "d/a.b2nd")
    assert refs["refs"]["0"][0] == "s3://bucket/data/d/a.b2nd"
    refused = blpk("reference", "--base", "s3://bucket", "-o", "-", tmp_path / "d/a.b2nd", check=False)
    assert refused.returncode == 1 and "--base" in refused.stderr


def test_as_file(tmp_path):
    """The file itself is what programs open, not the parsed references."""
    items = items_of((40, 30), "<f8")
    package.save(tmp_path / "a.b2nd", items, chunks=(20, 30))
    references(tmp_path, "a.b2nd")
    np.testing.assert_array_equal(opened(str(tmp_path / "refs.json"))[...], items)


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
