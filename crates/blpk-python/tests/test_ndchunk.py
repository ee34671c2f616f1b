"""Chunks of b2nd arrays: what C-Blosc2 writes is read, and what is written C-Blosc2 reads."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blpk

blosc2 = pytest.importorskip("blosc2")
numcodecs = pytest.importorskip("numcodecs")

from blpk.numcodecs import B2nd  # noqa: E402

DTYPES = ["u1", "<i2", "<f4", "<f8", ">i4", "<c16", "S5", "<U3", "M8[s]", "bool"]

CASES = [
    ((1000,), (300,), (64,)),
    ((1000,), (256,), (64,)),
    ((20, 30), (7, 11), (3, 4)),
    ((20, 30), (8, 30), (4, 30)),
    ((9, 10, 11), (4, 5, 6), (2, 5, 3)),
    ((5, 6, 7, 8), (2, 3, 4, 5), (2, 2, 3, 2)),
    ((3, 4, 5, 4, 3), (2, 3, 3, 2, 2), (1, 2, 2, 2, 1)),
]


def make(shape, dtype):
    count = math.prod(shape)
    if np.dtype(dtype).kind in "SU":
        return np.array([str(i % 97) for i in range(count)], dtype).reshape(shape)
    return np.arange(count).astype("i8").view("M8[s]").reshape(shape) if dtype == "M8[s]" else (
        np.arange(count) % 100
    ).astype(dtype).reshape(shape)


def chunk_slices(shape, chunks):
    starts = [range(0, length, chunk) for length, chunk in zip(shape, chunks)]
    return [tuple(slice(s, s + c) for s, c in zip(at, chunks)) for at in itertools.product(*starts)]


def inside(array):
    return tuple(slice(0, length) for length in array.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, chunks, blocks", CASES)
def test_chunks_of_blosc2_are_read(shape, chunks, blocks, dtype):
    array = make(shape, dtype)
    reference = blosc2.asarray(array if dtype != "M8[s]" else array.view("i8"), chunks=chunks, blocks=blocks)
    codec = B2nd(chunks, blocks, array.dtype.itemsize)
    for nchunk, where in enumerate(chunk_slices(shape, chunks)):
        part = array[where]
        chunk = reference.schunk.get_chunk(nchunk)
        whole = np.frombuffer(codec.decode(chunk), array.dtype).reshape(chunks)
        np.testing.assert_array_equal(whole[inside(part)], part)
        out = np.empty(chunks, array.dtype)
        assert codec.decode(chunk, out=out) is out
        np.testing.assert_array_equal(out[inside(part)], part)
        # Any box, for example one that starts and ends within blocks.
        start, stop = [n // 3 for n in chunks], [n - n // 4 for n in chunks]
        box = np.frombuffer(codec.decode_box(chunk, start, stop), array.dtype)
        expected = whole[tuple(map(slice, start, stop))]
        np.testing.assert_array_equal(box.reshape(expected.shape), expected)


@pytest.mark.parametrize("dtype", ["u1", "<f8", "<i2", "<c16"])
@pytest.mark.parametrize("shape, chunks, blocks", CASES)
def test_blosc2_reads_the_chunks(shape, chunks, blocks, dtype):
    array = make(shape, dtype)
    copy = blosc2.zeros(shape, dtype=array.dtype, chunks=chunks, blocks=blocks)
    codec = B2nd(chunks, blocks, array.dtype.itemsize, codec="lz4", filters=["bitshuffle"])
    for nchunk, where in enumerate(chunk_slices(shape, chunks)):
        part = array[where]
        padded = np.zeros(chunks, array.dtype)
        padded[inside(part)] = part
        copy.schunk.update_chunk(nchunk, codec.encode(padded))
    np.testing.assert_array_equal(copy[...], array)


@pytest.mark.parametrize("value", [0, 7, math.nan])
def test_chunks_without_blocks(value):
    reference = blosc2.full((40, 40), value, dtype="f8", chunks=(25, 25), blocks=(10, 10))
    codec = B2nd((25, 25), (10, 10), 8)
    items = np.frombuffer(codec.decode(reference.schunk.get_chunk(0)))
    np.testing.assert_array_equal(items, np.full(625, value))
    box = np.frombuffer(codec.decode_box(reference.schunk.get_chunk(0), [3, 3], [20, 5]))
    np.testing.assert_array_equal(box, np.full(34, value))


@pytest.mark.parametrize("filters", [[blosc2.Filter.NDCELL], [blosc2.Filter.BITSHUFFLE], [blosc2.Filter.DELTA, blosc2.Filter.SHUFFLE], []])
def test_filters_of_blosc2(filters):
    array = make((50, 40), "<f4")
    cparams = {"filters": filters, "filters_meta": [4 if f == blosc2.Filter.NDCELL else 0 for f in filters]}
    reference = blosc2.asarray(array, chunks=(30, 40), blocks=(16, 20), cparams=cparams)
    codec = B2nd((30, 40), (16, 20), 4)
    out = np.frombuffer(codec.decode(reference.schunk.get_chunk(0)), "<f4").reshape(30, 40)
    np.testing.assert_array_equal(out, array[:30])
    box = np.frombuffer(codec.decode_box(reference.schunk.get_chunk(0), (17, 3), (29, 40)), "<f4")
    np.testing.assert_array_equal(box.reshape(12, 37), array[17:29, 3:])


@st.composite
def geometries(draw):
    ndim = draw(st.integers(1, 5))
    chunks = draw(st.lists(st.integers(1, [900, 30, 10, 6, 4][ndim - 1]), min_size=ndim, max_size=ndim))
    blocks = [draw(st.integers(1, length)) for length in chunks]
    start = [draw(st.integers(0, length - 1)) for length in chunks]
    stop = [draw(st.integers(first + 1, length)) for first, length in zip(start, chunks)]
    return chunks, blocks, start, stop


@given(
    geometries(),
    st.integers(1, 300) | st.sampled_from([1, 2, 4, 8]),
    st.sampled_from(["lz4", "zstd", "blosclz"]),
    st.sampled_from([[], ["shuffle"], ["bitshuffle"], ["shuffle", "bytedelta"]]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=200, deadline=None)
def test_round_trip(geometry, itemsize, codec, filters, random):
    chunks, blocks, start, stop = geometry
    array = np.frombuffer(random.randbytes(math.prod(chunks) * itemsize), f"V{itemsize}").reshape(chunks)
    if random.random() < 0.5:
        array = np.zeros_like(array)
    codec = B2nd(chunks, blocks, itemsize, codec=codec, filters=filters)
    assert numcodecs.get_codec(codec.get_config()) == codec
    chunk = codec.encode(array)
    assert codec.decode(chunk) == array.tobytes()
    box = array[tuple(map(slice, start, stop))]
    assert codec.decode_box(chunk, start, stop) == box.tobytes()


def test_damage_and_wrong_shapes():
    array = np.random.default_rng(1).poisson(20, (30, 40)).astype("i4")
    codec = B2nd((30, 40), (8, 16), 4)
    chunk = codec.encode(array)
    for end in range(0, len(chunk), 7):
        with pytest.raises(blpk.DamagedError):
            codec.decode(chunk[:end])
    for index in range(0, len(chunk), 3):
        damaged = bytearray(chunk)
        damaged[index] ^= 1 << index % 8
        for decode in (lambda: codec.decode(bytes(damaged)), lambda: codec.decode_box(bytes(damaged), (9, 9), (11, 11))):
            try:
                decode()
            except (ValueError, MemoryError):
                pass
    for wrong in [((30, 49), (8, 16), 4), ((30, 40), (8, 16), 8), ((30,), (8,), 4), ((30, 40), (31, 16), 4)]:
        with pytest.raises(blpk.DamagedError):
            B2nd(*wrong).decode(chunk)
    for wrong in [((30, 40), (8,), 4), ((30, 40), (0, 16), 4), ((0, 40), (1, 1), 4), ((2**31, 40), (1, 1), 4)]:
        with pytest.raises((ValueError, OverflowError)):
            B2nd(*wrong).decode(chunk)
    for box in [((0, 0), (31, 40)), ((5, 5), (5, 6)), ((6, 5), (5, 6)), ((0,), (1,))]:
        with pytest.raises(ValueError):
            codec.decode_box(chunk, *box)
    with pytest.raises(ValueError):
        codec.encode(array[1:])
    with pytest.raises(ValueError):
        codec.decode(chunk, out=np.empty(1199, "i4"))


def test_memory_in_fortran_order():
    codec, items = B2nd(chunks=[4, 6], blocks=[2, 4], itemsize=8), np.arange(24.0).reshape(4, 6)
    chunk = codec.encode(np.asfortranarray(items))
    assert chunk == codec.encode(items)
    for order in "CF":
        out = np.zeros((4, 6), order=order)
        assert codec.decode(chunk, out) is out
        np.testing.assert_array_equal(out, items)
        part = np.zeros((2, 3), order=order)
        np.testing.assert_array_equal(codec.decode_box(chunk, [1, 2], [3, 5], part), items[1:3, 2:5])
