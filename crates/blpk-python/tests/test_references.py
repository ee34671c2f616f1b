"""Chunks and arrays exchanged with python-blosc and python-blosc2, in both directions."""

import numpy as np
import pytest

import blpk

blosc = pytest.importorskip("blosc")
blosc2 = pytest.importorskip("blosc2")

DATA = [
    np.arange(50_000, dtype="<i4"),
    np.linspace(0, 1, 30_001),
    np.random.default_rng(1).integers(0, 255, 70_001).astype("u1"),
    np.zeros(1000, "<f4"),
    np.empty(0, "<f8"),
]
SHUFFLES = {blosc.NOSHUFFLE: "none", blosc.SHUFFLE: "shuffle", blosc.BITSHUFFLE: "bitshuffle"}


@pytest.mark.parametrize("codec", ["blosclz", "lz4", "lz4hc", "zlib", "zstd"])
@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_blosc1_chunks(codec, shuffle):
    for data in DATA:
        plain = data.tobytes()
        theirs = blosc.compress(plain, data.itemsize, 5, shuffle, codec)
        assert blpk.decompress(theirs) == plain
        ours = blpk.compress(data, codec=codec, filters=SHUFFLES[shuffle])
        assert blosc.decompress(ours) == plain
        assert blosc2.decompress(ours) == plain
        info = blpk.chunk_info(theirs)
        assert (info.nbytes, info.cbytes, info.blocksize) == blosc.get_cbuffer_sizes(theirs)


@pytest.mark.parametrize("codec", ["BLOSCLZ", "LZ4", "LZ4HC", "ZLIB", "ZSTD"])
def test_blosc2_chunks(codec):
    for data in DATA:
        if data.size == 0:
            continue
        theirs = blosc2.compress2(data, codec=blosc2.Codec[codec], typesize=data.itemsize)
        assert blpk.decompress(theirs) == data.tobytes()
        ours = blpk.compress(data, codec=codec.lower(), format="blosc2")
        assert blosc2.decompress2(ours) == data.tobytes()


@pytest.mark.parametrize("shape, chunks, blocks", [((1000,), (300,), (70,)), ((40, 50), (15, 20), (7, 20)), ((9, 8, 7), (4, 4, 4), (2, 3, 4))])
@pytest.mark.parametrize("dtype", ["<f8", "<i2", "u1"])
def test_arrays(tmp_path, shape, chunks, blocks, dtype):
    items = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    path = str(tmp_path / "theirs.b2nd")
    theirs = blosc2.asarray(items, urlpath=path, chunks=chunks, blocks=blocks)
    theirs.schunk.vlmeta["unit"] = "m"
    array = blpk.open(path, "r+")
    assert (array.shape, array.chunks, array.blocks, array.dtype) == (shape, chunks, blocks, items.dtype)
    np.testing.assert_array_equal(array[...], items)
    assert dict(array.attrs) == {"unit": "m"}
    items[1:5] = array[1:5] = 3
    array.append(items[:2])
    array.attrs["by"] = "blpk"
    changed = blosc2.open(path)
    np.testing.assert_array_equal(changed[...], np.concatenate([items, items[:2]]))
    assert changed.schunk.vlmeta["by"] == "blpk"

    path = str(tmp_path / "ours.b2nd")
    blpk.save(path, items, chunks=chunks, blocks=blocks)
    ours = blosc2.open(path)
    assert (ours.shape, ours.chunks, ours.blocks, ours.dtype) == (shape, chunks, blocks, items.dtype)
    np.testing.assert_array_equal(ours[...], items)
    np.testing.assert_array_equal(blpk.open(ours.to_cframe())[...], items)


def test_frames_are_files(tmp_path):
    content = bytes(range(256)) * 1000
    path = str(tmp_path / "a.b2frame")
    blosc2.SChunk(chunksize=10_000, data=content, urlpath=path)
    file = blpk.open(path)
    assert isinstance(file, blpk.File) and file.format == "frame"
    file.seek(-10, 2)
    assert file.read() == content[-10:]
    file.seek(0)
    assert file.read() == content
