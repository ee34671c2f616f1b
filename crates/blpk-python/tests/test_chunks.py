"""Chunks: buffers in and out, every parameter, threads, forks, hostile input."""

import array
import ctypes
import gc
import mmap
import multiprocessing
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blpk

NUMBERS = np.arange(100_000, dtype="<i8")
CODECS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("format", ["blosc1", "blosc2"])
@given(data=st.binary(max_size=3000), clevel=st.integers(0, 9), typesize=st.integers(1, 255))
def test_round_trip(codec, format, data, clevel, typesize):
    if codec == "snappy" and format == "blosc2":
        return
    chunk = blpk.compress(data, codec=codec, clevel=clevel, typesize=typesize, format=format)
    assert blpk.decompress(chunk) == data
    info = blpk.chunk_info(chunk)
    assert (info.nbytes, info.cbytes, info.typesize, info.format) == (len(data), len(chunk), typesize, format)


@pytest.mark.parametrize(
    "filters, expected",
    [
        (None, ["shuffle"]),
        ("none", []),
        ([], []),
        ("bitshuffle", ["bitshuffle"]),
        (["delta", "shuffle"], ["delta", "shuffle"]),
        ("shuffle,bytedelta:8", ["shuffle", "bytedelta:8"]),
    ],
)
def test_filters(filters, expected):
    chunk = blpk.compress(NUMBERS, filters=filters, format="blosc2")
    assert blpk.chunk_info(chunk).filters == expected
    assert blpk.decompress(chunk) == NUMBERS.tobytes()


def test_wrong_parameters():
    for wrong in ({"codec": "lzma"}, {"clevel": 10}, {"clevel": -1}, {"filters": "sieve"}, {"format": "blosc3"},
                  {"auto": "best"}, {"threads": 0}, {"typesize": 0}, {"codec": "snappy", "format": "blosc2"},
                  {"filters": "bytedelta"}):
        with pytest.raises(ValueError):
            blpk.compress(b"abc", **wrong)
    for wrong in ({"codec": 3}, {"clevel": "high"}, {"level": 3}):
        with pytest.raises(TypeError):
            blpk.compress(b"abc", **wrong)


def test_automatic_choice():
    text = b"the quick brown fox jumps over the lazy dog\n" * 5000
    assert blpk.chunk_info(blpk.compress(text, auto=True)).filters == []
    small = blpk.compress(NUMBERS, auto="small", format="blosc2")
    assert len(small) < len(blpk.compress(NUMBERS)) / 10
    kept = blpk.chunk_info(blpk.compress(NUMBERS, auto="fast", codec="zlib"))
    assert (kept.codec, kept.typesize) == ("zlib", 8)
    assert blpk.compress(NUMBERS, auto=False) == blpk.compress(NUMBERS)


def test_every_kind_of_buffer():
    plain = NUMBERS.tobytes()
    anonymous = mmap.mmap(-1, len(plain))
    anonymous.write(plain)
    for buffer, itemsize in (
        (plain, 1),
        (bytearray(plain), 1),
        (memoryview(plain), 1),
        (array.array("q", NUMBERS.tolist()), 8),
        ((ctypes.c_int64 * len(NUMBERS))(*NUMBERS.tolist()), 8),
        (anonymous, 1),
        (NUMBERS, 8),
        (NUMBERS.reshape(100, 1000), 8),
        (NUMBERS.view("<M8[s]"), 8),
        (NUMBERS.astype(">i8").view("V8"), 8),
    ):
        chunk = blpk.compress(buffer)
        assert blpk.chunk_info(chunk).typesize == itemsize, type(buffer)
        assert len(blpk.decompress(bytearray(chunk))) == len(plain)
    columns = NUMBERS.reshape(100, 1000)
    assert blpk.decompress(blpk.compress(columns[:, ::2])) == columns[:, ::2].tobytes()
    assert blpk.decompress(blpk.compress(np.asfortranarray(columns))) == columns.T.tobytes()
    assert blpk.chunk_info(blpk.compress(np.zeros(10, "S300"))).typesize == 1
    for wrong in (3, "text", None, [1, 2]):
        with pytest.raises(TypeError):
            blpk.compress(wrong)
        with pytest.raises(TypeError):
            blpk.decompress(wrong)


def test_outputs():
    chunk = blpk.compress(NUMBERS)
    for out in (bytearray(NUMBERS.nbytes), np.empty_like(NUMBERS), memoryview(bytearray(NUMBERS.nbytes + 5))):
        assert blpk.decompress(chunk, out=out) is out
        assert bytes(out)[: NUMBERS.nbytes] == NUMBERS.tobytes()
    with pytest.raises(ValueError):
        blpk.decompress(chunk, out=bytearray(10))
    with pytest.raises(BufferError):
        blpk.decompress(chunk, out=bytes(NUMBERS.nbytes))
    with pytest.raises((BufferError, ValueError)):
        blpk.decompress(chunk, out=np.empty((len(NUMBERS), 2), "<i8")[:, 0])
    with pytest.raises(ValueError, match="share memory"):
        shared = bytearray(chunk) + bytearray(NUMBERS.nbytes)
        blpk.decompress(memoryview(shared)[: len(chunk)], out=shared)


def test_no_references_are_left():
    data = bytearray(NUMBERS.tobytes())
    chunk = bytearray(blpk.compress(data))
    out = bytearray(len(data))
    blpk.decompress(chunk, out=out)
    for wrong in (chunk[:20], chunk[:1000]):
        with pytest.raises(blpk.DamagedError):
            blpk.decompress(wrong, out=out)
    for buffer in (data, chunk, out):
        buffer.append(0)  # BufferError while anything holds it
    counts = sys.getrefcount(chunk)
    for _ in range(100):
        blpk.decompress(chunk[:-1])
    gc.collect()
    assert sys.getrefcount(chunk) == counts


def test_items():
    chunk = blpk.compress(NUMBERS)
    assert np.frombuffer(blpk.getitem(chunk, 5000, 3), "<i8").tolist() == [5000, 5001, 5002]
    assert blpk.getitem(chunk, 0, 0) == b""
    for start, count in ((99_999, 2), (100_001, 0), (1 << 62, 1 << 62), (-1, 1), (0, -1)):
        with pytest.raises(ValueError):
            blpk.getitem(chunk, start, count)
    for threads in (0, -1):
        with pytest.raises(ValueError, match="threads must be at least 1"):
            blpk.decompress(chunk, threads=threads)


def test_threads_do_not_change_the_chunk():
    data = np.random.default_rng(1).integers(0, 1000, 1_000_000)
    for codec in ("lz4", "zstd"):
        chunks = {blpk.compress(data, codec=codec, threads=threads) for threads in (1, 2, 5, None)}
        (chunk,) = chunks
        for threads in (1, 2, 5, None):
            assert blpk.decompress(chunk, threads=threads) == data.tobytes()


def test_every_truncation_and_random_damage_is_an_exception():
    data = np.random.default_rng(1).integers(0, 50, 2000)
    draw = random.Random(7)
    for format in ("blosc1", "blosc2"):
        for codec in ("blosclz", "lz4", "zlib", "zstd"):
            chunk = blpk.compress(data, codec=codec, format=format)
            for end in range(len(chunk)):
                with pytest.raises(blpk.DamagedError):
                    blpk.decompress(chunk[:end])
            for _ in range(300):
                damaged = bytearray(chunk)
                damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
                try:
                    blpk.decompress(damaged, limits={"max_nbytes": 1 << 20})
                except (blpk.Error, ValueError):
                    pass


def test_limits():
    chunk = blpk.compress(bytes(1 << 20))
    with pytest.raises(blpk.LimitError) as raised:
        blpk.decompress(chunk, limits={"max_nbytes": 1000})
    assert (raised.value.limit, raised.value.allowed) == ("max_nbytes", 1000)
    assert raised.value.needed == 1 << 20
    with pytest.raises(TypeError):
        blpk.decompress(chunk, limits={"max": 3})
    # A header that promises 2 GiB.
    promise = bytearray(blpk.compress(bytes(100)))
    promise[4:8] = (0x7FFFFFE0).to_bytes(4, "little")
    promise[8:12] = (0x7FFFFFE0).to_bytes(4, "little")
    with pytest.raises((blpk.Error, ValueError)):
        blpk.decompress(promise)


def work(number):
    """Compress and decompress in another process, with threads of its own."""
    chunk = blpk.compress(NUMBERS + number, threads=2)
    return blpk.decompress(chunk, threads=2) == (NUMBERS + number).tobytes()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_started_from_several_threads(method):
    stop = threading.Event()

    def busy():
        big = np.tile(NUMBERS, 30)
        while not stop.is_set():
            blpk.decompress(blpk.compress(big, threads=2), threads=2)

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    results = []

    def start():
        with multiprocessing.get_context(method).Pool(2) as pool:
            results.extend(pool.map_async(work, range(4)).get(timeout=120))

    starters = [threading.Thread(target=start) for _ in range(2)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    stop.set()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def time_beside_a_thread(call):
    """The seconds of the call, and the longest wait of a thread that wakes every millisecond meanwhile."""
    done = threading.Event()
    longest = [0.0]

    def count():
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest[0] = max(longest[0], now - last)
            last = now

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    call()
    total = time.perf_counter() - start
    done.set()
    counter.join()
    return total, longest[0]


def test_the_interpreter_is_released():
    """A thread that wakes every millisecond is never kept waiting for most of a call."""
    items, total = 3_000_000, 0.0
    while total < 0.2:  # Short calls do not tell a wait for the interpreter from one for the processor.
        big = np.random.default_rng(1).integers(0, 1000, items)
        total, longest = time_beside_a_thread(lambda: blpk.compress(big, codec="zlib", clevel=9))
        items *= 2
    assert longest < total / 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_long_work():
    program = """
import os, signal, threading, time, numpy as np, blpk
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background jobs
data = np.random.default_rng(1).integers(0, 1 << 30, 60_000_000)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    while True:
        blpk.compress(data, codec="zlib", clevel=9)
except KeyboardInterrupt:
    print(time.perf_counter() - start)
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert output.returncode == 0, output.stderr
    assert float(output.stdout) < 2.5
    assert signal.getsignal(signal.SIGINT) is not None


def test_import_is_fast():
    # The time of the CPU: other tests may run on all cores.
    program = "import time; start = time.process_time(); import blpk; print(time.process_time() - start)"
    times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout) for _ in range(5)]
    assert min(times) < 0.05
    loaded = "import sys, blpk; print(sorted({'numpy', 'dask', 'zarr', 'pyarrow', 'numcodecs'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout.strip() == "[]"


def read_items(array):
    """Read in another process the array that its parent is reading."""
    return array[::1000].sum()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_arrays_in_other_processes(tmp_path, method):
    blpk.save(tmp_path / "a.b2nd", np.tile(NUMBERS, 10))
    array = blpk.open(tmp_path / "a.b2nd", threads=2)
    with multiprocessing.get_context(method).Pool(2) as pool:
        sums = pool.map_async(read_items, [array] * 8)
        for _ in range(20):
            array[...]
        assert sums.get(timeout=120) == [NUMBERS[::1000].sum() * 10] * 8
