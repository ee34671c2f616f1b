"""The codec ``blosc`` of numcodecs: the same chunks and configuration as numcodecs' own, and exceptions for damage."""

from __future__ import annotations

import multiprocessing
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

numcodecs = pytest.importorskip("numcodecs")

from numcodecs import blosc as theirs  # noqa: E402

from blpk import LimitError  # noqa: E402
from blpk import numcodecs as ours  # noqa: E402

CODECS = ["lz4", "lz4hc", "blosclz", "zlib", "zstd"]
SHUFFLES = [ours.AUTOSHUFFLE, ours.NOSHUFFLE, ours.SHUFFLE, ours.BITSHUFFLE]


@given(
    data=st.binary(max_size=3000) | st.integers(0, 3000).map(lambda n: bytes(range(256)) * n),
    dtype=st.sampled_from(["u1", "<u2", "<f4", "<i8", "S3", "S12", "V255", "V300"]),
    cname=st.sampled_from(CODECS),
    clevel=st.integers(0, 9),
    shuffle=st.sampled_from(SHUFFLES),
    blocksize=st.sampled_from([0, 256, 1000, 1 << 16]),
)
@settings(max_examples=300, deadline=None)
def test_each_side_reads_the_other(data, dtype, cname, clevel, shuffle, blocksize):
    array = np.frombuffer(data[: len(data) // np.dtype(dtype).itemsize * np.dtype(dtype).itemsize], dtype)
    config = {"cname": cname, "clevel": clevel, "shuffle": shuffle, "blocksize": blocksize}
    mine, own = ours.Blosc(**config), theirs.Blosc(**config)
    chunk, reference = mine.encode(array), own.encode(array)
    assert own.decode(chunk) == array.tobytes() if array.size else mine.decode(chunk) == b""
    assert mine.decode(reference) == array.tobytes()
    assert ours.cbuffer_metainfo(chunk)[:2] == theirs._cbuffer_metainfo(reference)[:2]
    assert ours.cbuffer_sizes(chunk)[0] == array.nbytes
    assert ours.cbuffer_sizes(reference) == theirs._cbuffer_sizes(reference)
    assert ours.cbuffer_complib(reference) == theirs.cbuffer_complib(reference)


@pytest.mark.parametrize("config", [{}, {"cname": "zstd", "clevel": 9}, {"shuffle": -1, "blocksize": 512}])
def test_configuration_is_that_of_numcodecs(config):
    mine, own = ours.Blosc(**config), theirs.Blosc(**config)
    assert mine.get_config() == own.get_config()
    assert repr(mine) == repr(own)
    assert mine == own
    assert ours.Blosc.from_config(config) == mine


def test_typesize_and_threads_are_not_part_of_the_configuration():
    codec = ours.Blosc(typesize=4, threads=2)
    assert codec.get_config() == ours.Blosc().get_config()
    copy = pickle.loads(pickle.dumps(codec))
    assert copy == codec and copy.threads == 2
    assert copy.encode(bytes(1000))[3] == 4
    assert ours.Blosc(typesize=256).encode(bytes(1000))[3] == 1


def test_registration():
    before = numcodecs.registry.codec_registry["blosc"]
    try:
        ours.register()
        assert isinstance(numcodecs.get_codec({"id": "blosc"}), ours.Blosc)
    finally:
        numcodecs.registry.codec_registry["blosc"] = before


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ms]", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_output_arrays(dtype, order):
    array = np.arange(600).view(dtype).reshape(20, 30, order=order)
    codec = ours.Blosc()
    out = np.empty((20, 30), dtype, order=order)
    assert codec.decode(codec.encode(array), out=out) is out
    np.testing.assert_array_equal(out, array)


def test_bad_outputs():
    codec = ours.Blosc()
    chunk = codec.encode(np.arange(100))
    for out, error in [
        (np.empty(99, "i8"), ValueError),
        (bytes(800), BufferError),
        (np.empty(200, "i8")[::2], (BufferError, ValueError)),
        (np.empty(100, object), TypeError),
        (np.empty(100, [("Offset", "i8"), ("x", "O")]), TypeError),
    ]:
        with pytest.raises(error):
            codec.decode(chunk, out=out)
    named = np.empty(100, [("Object", "i8")])
    assert codec.decode(chunk, out=named)["Object"][99] == 99


@pytest.mark.parametrize("bad", [{"cname": "LZ4"}, {"clevel": 10}, {"clevel": -1}, {"shuffle": 3}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError):
        ours.Blosc(**bad).encode(b"abc")
    with pytest.raises(ValueError):
        ours.Blosc(typesize=0)


@given(st.integers(0, 1000), st.integers(0, 1000), st.sampled_from(CODECS))
def test_partial_decoding(start, nitems, cname):
    array = np.arange(1000, dtype="i4")
    codec = ours.Blosc(cname=cname, blocksize=512)
    chunk = codec.encode(array)
    if start + nitems > 1000:
        with pytest.raises(ValueError):
            codec.decode_partial(chunk, start, nitems)
        return
    expected = array[start : start + nitems]
    assert codec.decode_partial(chunk, start, nitems) == expected.tobytes()
    out = np.full(1000, -1, "i4")
    assert codec.decode_partial(chunk, start, nitems, out=out) is out
    np.testing.assert_array_equal(out[:nitems], expected)
    assert (out[nitems:] == -1).all()


def decode_damaged(codec, chunk, nbytes):
    """Decode in all ways. Any exception is fine, and so is a result of the right size: Blosc has no checksum."""
    for decode in (
        lambda: codec.decode(chunk),
        lambda: codec.decode(chunk, out=bytearray(nbytes)),
        lambda: codec.decode_partial(chunk, 3, 50),
    ):
        try:
            decode()
        except (ValueError, MemoryError):
            pass


@pytest.mark.parametrize("cname", CODECS)
def test_every_truncation_raises(cname):
    array = np.random.default_rng(1).poisson(10, size=1500).astype("i4")
    codec = ours.Blosc(cname=cname, blocksize=2048)
    chunk = codec.encode(array)
    for end in range(len(chunk)):
        with pytest.raises(RuntimeError):
            codec.decode(chunk[:end])
        with pytest.raises(RuntimeError):
            codec.decode(chunk[:end], out=bytearray(6000))


@pytest.mark.parametrize("cname", CODECS)
def test_flipped_bytes_raise_or_decode(cname):
    """Damage must not crash the process, as it does in C: numcodecs issue 228."""
    array = np.random.default_rng(2).poisson(10, size=1500).astype("i4")
    codec = ours.Blosc(cname=cname, blocksize=2048)
    chunk = codec.encode(array)
    flips = random.Random(cname)
    for index in range(len(chunk)):
        damaged = bytearray(chunk)
        damaged[index] ^= 1 << flips.randrange(8)
        decode_damaged(codec, bytes(damaged), array.nbytes)
    for _ in range(3000):
        damaged = bytearray(chunk)
        for _ in range(flips.randint(1, 8)):
            damaged[flips.randrange(len(damaged))] = flips.randrange(256)
        decode_damaged(codec, bytes(damaged), array.nbytes)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_or_decode(chunk):
    decode_damaged(ours.Blosc(), chunk, 1000)


BIG = np.arange(400_000, dtype="i4")


def _round_trip(threads):
    codec = ours.Blosc(cname="lz4", threads=threads)
    return codec.decode(codec.encode(BIG)) == BIG.tobytes()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_threads_after_fork_and_spawn(method):
    # Leaves idle threads to the fork, and forks while other calls use some.
    with ThreadPoolExecutor(3) as busy:
        running = [busy.submit(lambda: all(_round_trip(2) for _ in range(20))) for _ in range(3)]
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(_round_trip, [2, 3, 2, 1, None] * 2).get(60) == [True] * 10
        assert all(done.result(60) for done in running)


def test_chunks_do_not_depend_on_threads():
    chunks = {ours.Blosc(cname="zstd", threads=threads).encode(BIG) for threads in (1, 2, 3, 5, 6, 7, None)}
    assert len(chunks) == 1
    assert ours.Blosc(threads=4).decode(chunks.pop()) == BIG.tobytes()


def test_limits():
    chunk = ours.Blosc(cname="zstd", clevel=9).encode(np.zeros(100_000_000, "u1"))
    with pytest.raises(LimitError):
        ours.Blosc(limits={"max_nbytes": 1000}).decode(chunk)
    with pytest.raises(LimitError):
        ours.Blosc(limits={"max_unearned": 1000}).decode(chunk)
    codec = ours.Blosc(limits={"max_nbytes": 1 << 30})
    assert len(codec.decode(chunk)) == 100_000_000
    assert "limits" not in codec.get_config()
