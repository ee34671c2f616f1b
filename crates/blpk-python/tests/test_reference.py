"""References made by the package, and its codec in metadata of Zarr 3. `xtask/remote/references.py` has the rest."""

import json

import numpy as np
import pytest

import blpk

zarr = pytest.importorskip("zarr", minversion="3.1")
fsspec = pytest.importorskip("fsspec")

ITEMS = np.arange(2000.0).reshape(100, 20)


def opened(references):
    from zarr.storage import FsspecStore

    fs = fsspec.filesystem("reference", fo=references, asynchronous=True)
    return zarr.open(FsspecStore(fs, read_only=True, path=""), mode="r", zarr_format=2)


@pytest.mark.parametrize("ending", [".b2nd", ".bcolz", ".blp"])
def test_one_and_several(tmp_path, ending):
    paths = [tmp_path / f"{number}{ending}" for number in range(2)]
    for number, path in enumerate(paths):
        blpk.save(path, ITEMS + number, chunks=(50, 20))
    np.testing.assert_array_equal(opened(blpk.reference(paths[0]))[...], ITEMS)
    np.testing.assert_array_equal(opened(blpk.reference(paths))[...], np.concatenate([ITEMS, ITEMS + 1]))
    stacked = blpk.reference(map(str, paths), axis=2, new_axis=True)
    np.testing.assert_array_equal(opened(stacked)[...], np.stack([ITEMS, ITEMS + 1], axis=2))


def test_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blpk.save("a.b2nd", ITEMS, chunks=(50, 20))
    refs = blpk.reference("a.b2nd", name="walk", dims=("time", "x"), base="s3://bucket/data")["refs"]
    assert refs["walk/0.0"][0] == "s3://bucket/data/a.b2nd"
    assert json.loads(refs["walk/.zattrs"])["_ARRAY_DIMENSIONS"] == ["time", "x"]


def test_refusals(tmp_path):
    path = tmp_path / "a.b2nd"
    blpk.save(path, ITEMS, chunks=(30, 20))
    with pytest.raises(ValueError, match="multiple of the chunks"):
        blpk.reference([path, path])
    with pytest.raises(ValueError, match="axis 2"):
        blpk.reference(path, axis=2)
    with pytest.raises(ValueError, match="one input"):
        blpk.reference([])
    with pytest.raises(FileNotFoundError):
        blpk.reference(tmp_path / "none")
    with pytest.raises(blpk.LimitError):
        blpk.reference(path, limits={"max_memory": 10})


def test_the_codec_of_zarr_3():
    from blpk._zarr_numcodecs import NumcodecsB2nd
    from blpk.numcodecs import B2nd

    codec = NumcodecsB2nd(B2nd(chunks=[50, 20], blocks=[10, 20], itemsize=8))
    array = zarr.create_array({}, shape=ITEMS.shape, chunks=(50, 20), dtype="f8", compressors=codec)
    array[...] = ITEMS
    again = zarr.open_array(array.store, mode="r")
    assert again.metadata.to_dict()["codecs"][-1]["name"] == "numcodecs.b2nd"
    np.testing.assert_array_equal(again[...], ITEMS)
