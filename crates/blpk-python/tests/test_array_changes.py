"""Arrays: limits of results, paths, dtypes with padding, and changes by several handles, threads and interrupts."""

import concurrent.futures
import copy
import io
import mmap
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blpk


@pytest.mark.parametrize("name", ["a.b2nd", "a.blp", "a.bcolz", "a.npy"])
def test_results_are_within_the_limits(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(100_000))
    array = blpk.open(tmp_path / name, limits={"max_nbytes": 1000})
    for key in (..., slice(200), [1] * 200):
        with pytest.raises(blpk.LimitError):
            array[key]
    assert array[:125].nbytes == 1000


def test_a_small_file_does_not_state_gigabytes(tmp_path):
    blpk.create(tmp_path / "z.b2nd", (2**29,), "f8", chunks=(2**27,))
    array = blpk.open(tmp_path / "z.b2nd")
    with pytest.raises(blpk.LimitError):
        array[...]
    assert not array[2**28 : 2**28 + 10].any()


def test_an_array_without_axes_is_assigned(tmp_path):
    array = blpk.create(tmp_path / "z.b2nd", (), "f8")
    for key, value in (((), 1.0), (..., 2.0), (None, 3.0)):
        array[key] = value
        assert array[()] == value


def test_paths_do_not_follow_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blpk.save("a.b2nd", np.ones(3))
    array = blpk.open("a.b2nd", "r+")
    writer = blpk.open("w.blp", "w")
    (tmp_path / "s").mkdir()
    monkeypatch.chdir("s")
    blpk.save("a.b2nd", np.zeros(3))
    array[0] = 77.0
    writer.write(b"here")
    writer.close()
    assert (array[0], blpk.open("a.b2nd")[0]) == (77.0, 0.0)
    assert blpk.open(tmp_path / "w.blp").read() == b"here"


@pytest.mark.parametrize("name", ["a.b2nd", "a.blp", "a.npy"])
def test_padding_of_fields_is_kept(tmp_path, name):
    dtype = np.dtype([("a", "i1"), ("b", "f8")], align=True)
    items = np.zeros(2, dtype)
    items["b"] = [1.5, 2.5]
    blpk.save(tmp_path / name, items)
    array = blpk.open(tmp_path / name, "r+")
    assert array.dtype.names == ("a", "b") and array.dtype.itemsize == 16
    if name == "a.b2nd":
        array[0] = (7, 8.5)
        array.append(items[1:])
        assert array[...].tolist() == [(7, 8.5), (0, 2.5), (0, 2.5)]


def test_booleans_are_no_numbers(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(24).reshape(4, 6))
    array = blpk.open(tmp_path / "a.b2nd", "r+")
    for key in (True, (1, True)):
        with pytest.raises(IndexError):
            array[key]
        with pytest.raises(IndexError):
            array[key] = 0
    assert (array[np.array(1)] == np.arange(6, 12)).all()


def test_changes_by_two_handles_and_many_threads(tmp_path):
    path = tmp_path / "a.b2nd"
    blpk.save(path, np.arange(10))
    first, second = blpk.open(path, "r+"), blpk.open(path, "r+")
    first.append([1] * 5)
    second.append([2] * 3)
    assert second[10:].tolist() == [1] * 5 + [2] * 3
    blpk.save(path, np.arange(10.0), overwrite=True)
    second[0] = 7
    assert blpk.open(path)[:2].tolist() == [7.0, 1.0]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: first.append([number]), range(40)))
    assert sorted(blpk.open(path)[10:]) == list(range(40))


def test_appends_to_a_bloscpack_file_by_many_handles(tmp_path):
    path = tmp_path / "a.blp"
    blpk.save(path, np.zeros(1000, "i8"))

    def append(number):
        array, items = blpk.open(path, "r+"), np.full(10 + 7 * number, number + 1)
        for _ in range(15):
            while True:
                try:
                    array.append(items)
                    break
                except blpk.LockedError:
                    time.sleep(0.001)
        return 15 * len(items)

    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        added = sum(threads.map(append, range(3)))
    array = blpk.open(path)
    assert array.shape == (1000 + added,)
    assert np.bincount(array[:]).tolist() == [1000, 15 * 10, 15 * 17, 15 * 24]


def test_reads_beside_changes(tmp_path):
    array = blpk.create(tmp_path / "a.b2nd", (0,), "i4")

    def read(_):
        items = array[...]
        return items.tolist() == list(range(len(items)))

    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        reads = threads.map(read, range(300))
        for number in range(60):
            array.append([number])
        assert all(reads)
    assert len(array) == 60


def test_memory_maps_and_shapes(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(9))
    with open(tmp_path / "a.b2nd", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert blpk.open(mapped)[-1] == 8
    assert blpk.create(tmp_path / "b.b2nd", np.int64(3), "i4").shape == (3,)
    for shape, chunks in (((-3,), None), ((3,), (0,)), ((3,), (-1,))):
        with pytest.raises(ValueError):
            blpk.create(tmp_path / "c.b2nd", shape, "i4", chunks=chunks)
    with pytest.raises(ValueError):
        blpk.save(tmp_path / "c.blp", np.arange(9), chunks=(3,), blocks=(3,))


INTERRUPTED = """
import _thread, sys, threading, time
import numpy as np
import blpk
path = sys.argv[1]
noise = np.random.default_rng(0).integers(0, 2**20, 4_000_000)
array = blpk.create(path, (10,), "i8", codec="zstd", clevel=9)
threading.Timer(0.2, _thread.interrupt_main).start()
start = time.monotonic()
try:
    array.append(noise)
    print("done")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 5, array.shape == blpk.open(path).shape)
array.append([1])
"""


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz"])
def test_an_interrupt_ends_a_change(tmp_path, name):
    argv = [sys.executable, "-c", INTERRUPTED, str(tmp_path / name)]
    found = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert found.stdout.split() in (["interrupted", "True", "True"], ["done"])


def test_rows_as_tuples_lose_nothing(tmp_path):
    table = blpk.create_table(tmp_path / "t", [("s", "S4"), ("i", "i4"), ("d", "M8[D]")])
    for row, error in (((b"toolong", 1, "2026-01-01"), ValueError), ((b"a", 1.7, "2026-01-01"), TypeError)):
        with pytest.raises(error):
            table.append([row])
    with pytest.raises(ValueError):
        table.append([(b"a", 1)])
    assert table.append([("é", 1, "2026-01-01"), ("b", 2, np.datetime64("2026-01-02"))]) == 2
    assert table["s"][0] == "é".encode() and table["d"][1] == np.datetime64("2026-01-02")


def test_goals_are_speeds_and_ratios_too():
    data = np.arange(10_000)
    for goal in ("500MB/s", "ratio:3", "small"):
        assert blpk.decompress(blpk.compress(data, auto=goal)) == data.tobytes()
    with pytest.raises(ValueError, match="ratio:3.5"):
        blpk.compress(data, auto="tiny")


def test_sizes_out_of_range_are_value_errors():
    for settings in ({"typesize": -1}, {"blocksize": -1}):
        with pytest.raises(ValueError):
            blpk.compress(b"abc", **settings)
    with pytest.raises(ValueError):
        blpk.decompress(blpk.compress(b"abc"), limits={"max_nbytes": -1})


def test_files_refuse_what_they_cannot_do(tmp_path):
    path = tmp_path / "a.blp"
    with blpk.open(path, "w") as file:
        file.write(b"0123")
        with pytest.raises(OSError):
            file.read(1)
    with blpk.open(path, "a") as file:
        assert file.tell() == 4
        file.write(np.arange(8, dtype="u1")[::2])
        assert file.tell() == 8
    file = blpk.open(path)
    assert file.read() == b"0123\x00\x02\x04\x06"
    with pytest.raises(ValueError):
        file.seek(0, 7)
    with pytest.raises(TypeError):
        file.seek(1.5)
    file.close()
    with pytest.raises(ValueError):
        file.tell()
    with pytest.raises(blpk.LimitError):
        blpk.open(path, limits={"max_nbytes": 4}).read()


@pytest.mark.parametrize("threads", [1, 3, None])
def test_threads_write_the_same_items(tmp_path, threads):
    items = np.arange(100 * 230).reshape(100, 230)
    blpk.save(tmp_path / "a.b2nd", items, chunks=(17, 40), codec="zstd")
    array = blpk.open(tmp_path / "a.b2nd", "r+", threads=threads)
    array[5:80, 30:-7] = items[5:80, 30:-7] * 2
    array.append(items[:20])
    expected = np.concatenate([items, items[:20]])
    expected[5:80, 30:-7] *= 2
    np.testing.assert_array_equal(array[...], expected)
    blpk.save(tmp_path / "b.b2nd", items, chunks=(17, 40), codec="zstd")
    alone = blpk.open(tmp_path / "b.b2nd", "r+")
    alone[5:80, 30:-7] = items[5:80, 30:-7] * 2
    alone.append(items[:20])
    assert (tmp_path / "a.b2nd").read_bytes() == (tmp_path / "b.b2nd").read_bytes()


def test_copies_of_a_file_object_share_its_position(tmp_path):
    blpk.save(tmp_path / "a.npy", np.arange(100_000))
    array = blpk.open(io.BytesIO((tmp_path / "a.npy").read_bytes()))
    both, expected = [array, copy.copy(array)], np.arange(100_000)

    def reads(number):
        start = number * 7919 % 90_000
        return (both[number % 2][start : start + 99] == expected[start : start + 99]).all()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(reads, range(400)))


def test_chunks_of_arrays_that_will_grow(tmp_path):
    for name in ("a.b2nd", "a.bcolz"):
        array = blpk.create(tmp_path / name, (0, 3), "f8", chunks=(100, 9))
        array.append(np.ones((250, 3)))
        np.testing.assert_array_equal(array[...], np.ones((250, 3)))
        assert array.chunks == (100, 3)
    for name in ("b.b2nd", "b.bcolz"):
        array = blpk.create(tmp_path / name, (0, 3), "f8")
        array.append(np.ones((250, 3)))
        assert array.chunks[0] >= 250


def test_copies_are_closed_alone(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(3))
    array, file = blpk.open(tmp_path / "a.b2nd"), blpk.open(blpk.compress(b"abc"))
    with copy.copy(array) as other, copy.copy(file) as bytes_again:
        assert (other[1], bytes_again.read()) == (1, b"abc")
    assert (array[2], file.read()) == (2, b"abc")


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_rows_in_any_order_are_assigned(tmp_path_factory, name, data):
    rows, width = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 5))
    items = np.arange(rows * width).reshape(rows, width)
    path = tmp_path_factory.mktemp("rows") / name
    blpk.save(path, items, chunks=(data.draw(st.integers(1, 9)), 3 if name == "a.b2nd" else width))
    array = blpk.open(path, "r+", threads=data.draw(st.sampled_from([1, 2])))
    for number in range(3):
        numbers = data.draw(st.lists(st.integers(-rows, rows - 1), max_size=12))
        chosen = data.draw(st.sampled_from([np.array(numbers, int), np.isin(np.arange(rows), numbers)]))
        rest = data.draw(st.sampled_from([(), (slice(None, None, -2),), (0,), (None, slice(1, None))]))
        key = (chosen, *rest) if rest else chosen
        value = data.draw(st.sampled_from([-number, np.arange(items[key].size).reshape(items[key].shape) * 3]))
        items[key] = value
        array[key] = value
        np.testing.assert_array_equal(array[...], items)


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz"])
def test_steps_touch_few_chunks_and_little_memory(tmp_path, name):
    array = blpk.create(tmp_path / name, (1000, 20_000), "f8", chunks=(10, 20_000))
    before = (tmp_path / name).stat().st_mtime_ns
    tracemalloc.start()
    try:
        array[::-250, ::5] = np.arange(4)[:, None]
        array[[3, 997]] = 7
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / name).stat().st_mtime_ns > before and peak < 16 << 20
    assert (array[999, 5], array[249, 0], array[249, 1], array[3, 9], array[:, 0].sum()) == (0, 3, 0, 7, 6 + 14)


def test_wrong_rows_change_nothing(tmp_path):
    array = blpk.create(tmp_path / "a.b2nd", (10, 3), "i4")
    for key in ([1, 10], np.zeros((2, 2), int), [1.5], np.zeros(9, bool)):
        with pytest.raises(IndexError):
            array[key] = 1
    with pytest.raises(ValueError):
        array[[1, 2]] = [1, 2]
    array[[]] = 5
    assert not array[...].any()


def test_python_blosc2_resizes_empty_arrays(tmp_path):
    blosc2 = pytest.importorskip("blosc2")
    path = tmp_path / "a.b2nd"
    for shape, before in (((0, 3), None), ((5, 0), None), ((0, 0), None), ((0, 3), (2, 3))):
        blpk.save(path, np.zeros(before or shape), overwrite=True)
        if before:
            blpk.open(path, "r+").resize(shape)
        larger = tuple(length + 4 for length in shape)
        array = blosc2.open(str(path), mode="a")
        array.resize(larger)
        array[...] = 1
        np.testing.assert_array_equal(blpk.open(path)[...], np.ones(larger))


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz"])
def test_assignments_of_no_items(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(12.0).reshape(3, 4))
    array, plain = blpk.open(tmp_path / name, "r+"), np.arange(12.0).reshape(3, 4)
    for value in (np.zeros((0, 4)), np.zeros((1, 1, 0, 4)), np.zeros(4), 7, np.zeros((0, 1))):
        plain[0:0] = value
        array[0:0] = value
    for wrong in (np.zeros(3), np.zeros((2, 0, 4)), np.zeros((2, 4))):
        with pytest.raises(ValueError):
            plain[0:0] = wrong
        with pytest.raises(ValueError):
            array[0:0] = wrong
    np.testing.assert_array_equal(array[...], plain)


@pytest.mark.parametrize("name", ["a.b2nd", "a.blp", "a.bcolz", "a.npy"])
def test_refresh(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(12.0))
    array = blpk.open(tmp_path / name)
    assert array.shape == (12,)
    blpk.save(tmp_path / name, np.arange(5, dtype="i2"), overwrite=True)
    array.refresh()
    assert (array.shape, array.dtype) == ((5,), np.dtype("i2"))
    np.testing.assert_array_equal(array[...], np.arange(5))
