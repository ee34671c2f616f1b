"""Codecs of Zarr 3: ``blosc`` in the place of Zarr's own, and ``blpk.b2nd``."""

from __future__ import annotations

import asyncio
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

zarr = pytest.importorskip("zarr")

from zarr.codecs import BloscCodec as Theirs  # noqa: E402
from zarr.core.buffer import default_buffer_prototype  # noqa: E402
from zarr.registry import get_codec_class  # noqa: E402

import blpk  # noqa: E402
import blpk.zarr  # noqa: E402
from blpk._zarr_numcodecs import NumcodecsB2nd  # noqa: E402
from blpk.numcodecs import B2nd  # noqa: E402
from blpk.zarr import B2ndCodec, BloscCodec  # noqa: E402


@pytest.fixture(autouse=True)
def configuration():
    with zarr.config.set({}):
        yield


def bytes_of(store, key):
    return asyncio.run(store.get(key, prototype=default_buffer_prototype())).to_bytes()


def put(store, key, content):
    asyncio.run(store.set(key, default_buffer_prototype().buffer.from_bytes(content)))


@pytest.mark.parametrize("config", [{}, {"cname": "lz4", "clevel": 1}, {"shuffle": "noshuffle", "blocksize": 1024, "typesize": 4}])
def test_the_configuration_is_that_of_zarr(config):
    mine, own = BloscCodec(**config), Theirs(**config)
    assert mine.to_dict() == own.to_dict()
    assert BloscCodec.from_dict(own.to_dict()).to_dict() == own.to_dict()
    assert isinstance(mine, Theirs)
    assert pickle.loads(pickle.dumps(mine)) == mine


@pytest.mark.parametrize("dtype", ["u1", "i4", "f8", "M8[s]", "S7"])
@pytest.mark.parametrize("cname", ["lz4", "zstd", "blosclz", "zlib", "lz4hc"])
def test_each_side_reads_the_other(cname, dtype):
    data = np.arange(3000).astype("i8").view("M8[s]") if dtype == "M8[s]" else np.arange(3000).astype(dtype)
    for codec in (BloscCodec(cname=cname), Theirs(cname=cname)):
        store = zarr.storage.MemoryStore()
        zarr.create_array(store, data=data, chunks=1000, compressors=codec)
        np.testing.assert_array_equal(zarr.open_array(store)[...], data)
        with zarr.config.set({"codecs.blosc": "blpk.zarr.BloscCodec"}):
            array = zarr.open_array(store)
            assert type(array.compressors[0]) is BloscCodec
            np.testing.assert_array_equal(array[...], data)


def test_registration():
    assert get_codec_class("blosc") is Theirs
    before = zarr.config.get("codecs.blosc")
    try:
        blpk.zarr.register()
        assert get_codec_class("blosc") is BloscCodec
    finally:
        zarr.config.set({"codecs.blosc": before})
    assert get_codec_class("blosc") is Theirs


@pytest.mark.parametrize("compressor", [BloscCodec(cname="lz4"), None])
def test_damaged_chunks_raise(compressor):
    store = zarr.storage.MemoryStore()
    data = np.random.default_rng(1).poisson(9, 1000).astype("i4")
    how = {"compressors": compressor} if compressor else {"compressors": None, "serializer": B2ndCodec(blocks=[100])}
    zarr.create_array(store, data=data, chunks=1000, **how)
    chunk = bytes_of(store, "c/0")
    with zarr.config.set({"codecs.blosc": "blpk.zarr.BloscCodec"}):
        array = zarr.open_array(store)
        for end in range(0, len(chunk), 50):
            put(store, "c/0", chunk[:end])
            with pytest.raises(blpk.DamagedError):
                array[...]
            with pytest.raises(blpk.DamagedError):
                array[10:20]


def b2nd(store, data, chunks, blocks, **codec):
    serializer = B2ndCodec(blocks=blocks, **codec)
    return zarr.create_array(store, data=data, chunks=chunks, serializer=serializer, compressors=None)


SELECTIONS = [
    np.s_[...],
    np.s_[3],
    np.s_[3, 4, 5],
    np.s_[2:9, 1:2, 5:],
    np.s_[::3, 4, ::2],
    np.s_[-1, :, 1:1],
    np.s_[5:6, 2:12:5],
]


@pytest.mark.parametrize("dtype", ["u1", "f8", "c8", "S5", "U4", "M8[s]", "bool"])
def test_basic_indexing_of_b2nd(dtype):
    numbers = np.arange(12 * 13 * 14).reshape(12, 13, 14)
    data = numbers.view("M8[s]") if dtype == "M8[s]" else numbers.astype(dtype)
    array = b2nd({}, data, (5, 6, 7), (2, 3, 4))
    for selection in SELECTIONS:
        np.testing.assert_array_equal(array[selection], data[selection])
    array[4:7, 2, :] = data[0, 0, 0]
    expected = data.copy()
    expected[4:7, 2, :] = data[0, 0, 0]
    np.testing.assert_array_equal(array[...], expected)


def test_fancy_indexing_of_b2nd():
    data = np.arange(20 * 30).reshape(20, 30)
    array = b2nd({}, data, (6, 7), (4, 3))
    mask = data % 7 == 3
    np.testing.assert_array_equal(array.oindex[[3, 1, 19], 4:20], data[[3, 1, 19], 4:20])
    np.testing.assert_array_equal(array.oindex[[0, 5, 8], [2, 29, 3]], data[np.ix_([0, 5, 8], [2, 29, 3])])
    np.testing.assert_array_equal(array.oindex[np.arange(20) % 3 == 0, 7], data[np.arange(20) % 3 == 0, 7])
    np.testing.assert_array_equal(array.vindex[[3, 1, 19], [4, 20, 0]], data[[3, 1, 19], [4, 20, 0]])
    np.testing.assert_array_equal(array.vindex[mask], data[mask])
    np.testing.assert_array_equal(array.blocks[1, 2], data[6:12, 14:21])


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_slices_of_b2nd(data):
    ndim = data.draw(st.integers(1, 4))
    shape = data.draw(st.lists(st.integers(1, 12), min_size=ndim, max_size=ndim))
    chunks = [data.draw(st.integers(1, length)) for length in shape]
    blocks = [data.draw(st.integers(1, length)) for length in chunks]
    numbers = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    array = b2nd({}, numbers, chunks, blocks)
    for _ in range(5):
        selection = tuple(
            slice(data.draw(st.integers(0, n)), data.draw(st.integers(0, n)), data.draw(st.integers(1, 4))) for n in shape
        )
        np.testing.assert_array_equal(array[selection], numbers[selection])


@pytest.mark.parametrize("endian", ["little", "big"])
def test_zarr_reads_the_chunks_of_a_b2nd_array(endian):
    blosc2 = pytest.importorskip("blosc2")
    data = np.arange(31 * 17).reshape(31, 17).astype(">f4" if endian == "big" else "<f4")
    source = blosc2.asarray(data, chunks=(10, 8), blocks=(4, 8))
    store = zarr.storage.MemoryStore()
    serializer = B2ndCodec(blocks=[4, 8], endian=endian)
    zarr.create_array(store, shape=(31, 17), dtype="f4", chunks=(10, 8), serializer=serializer, compressors=None)
    for number in range(source.schunk.nchunks):
        put(store, f"c/{number // 3}/{number % 3}", source.schunk.get_chunk(number))
    array = zarr.open_array(store)
    np.testing.assert_array_equal(array[...], data)
    np.testing.assert_array_equal(array[9:12, 3:17:2], data[9:12, 3:17:2])


def test_numcodecs_in_format_2_reads_the_chunks_of_a_b2nd_array():
    blosc2 = pytest.importorskip("blosc2")
    from blpk.numcodecs import B2nd

    data = np.arange(31 * 17).reshape(31, 17)
    source = blosc2.asarray(data, chunks=(10, 8), blocks=(4, 8))
    store = zarr.storage.MemoryStore()
    compressor = B2nd((10, 8), (4, 8), 8)
    zarr.create_array(
        store, shape=(31, 17), dtype="i8", chunks=(10, 8), compressors=compressor, filters=None, zarr_format=2
    )
    for number in range(source.schunk.nchunks):
        put(store, f"{number // 3}.{number % 3}", source.schunk.get_chunk(number))
    np.testing.assert_array_equal(zarr.open_array(store)[...], data)


def test_metadata_of_b2nd():
    codec = B2ndCodec(blocks=[3], codec="lz4", clevel=1, filters=["bitshuffle"], endian="big")
    assert B2ndCodec.from_dict(codec.to_dict()) == codec
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=np.arange(10), chunks=5, serializer=codec, compressors=None)
    assert zarr.open_array(store).serializer == codec
    with pytest.raises(ValueError):
        B2ndCodec(blocks=[3], endian="middle")
    with pytest.raises((ValueError, TypeError)):
        b2nd({}, np.arange(10), (5,), (3, 3))


def test_only_touched_blocks_are_decoded():
    """Damage to a block is not noticed by a slice of another block."""
    store = zarr.storage.MemoryStore()
    data = np.random.default_rng(3).poisson(9, (64, 64)).astype("i4")
    array = b2nd(store, data, (64, 64), (32, 32), codec="lz4")
    chunk = bytearray(bytes_of(store, "c/0/0"))
    chunk[32 + 3 * 4 : 32 + 4 * 4] = b"\xff\xff\xff\x7f"  # where the last of the four blocks starts
    put(store, "c/0/0", bytes(chunk))
    np.testing.assert_array_equal(array[3:20, 30:31], data[3:20, 30:31])
    with pytest.raises(blpk.DamagedError):
        array[63, 63]
    with pytest.raises(blpk.DamagedError):
        array[...]


def test_limits_are_a_setting_of_zarr():
    data = np.arange(3000)
    b2nd = NumcodecsB2nd(B2nd(chunks=(1000,), blocks=(100,), itemsize=8))
    codecs = ({"compressors": BloscCodec()}, {"compressors": b2nd})
    for settings in (*codecs, {"serializer": B2ndCodec(blocks=(100,)), "compressors": None}):
        store = zarr.storage.MemoryStore()
        zarr.create_array(store, data=data, chunks=1000, **settings)
        with zarr.config.set({"codecs.blosc": "blpk.zarr.BloscCodec", "blpk.limits": {"max_nbytes": 7000}}):
            array = zarr.open_array(store)
            with pytest.raises(blpk.LimitError):
                array[...]
        with zarr.config.set({"blpk.limits": {"max_nbytes": 8000}}):
            np.testing.assert_array_equal(array[...], data)
