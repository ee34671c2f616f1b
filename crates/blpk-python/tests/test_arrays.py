"""Indexing and changes of arrays in every format, against NumPy."""

import pickle
import signal
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import blpk

FORMATS = {"bloscpack": "a.blp", "b2nd": "a.b2nd", "bcolz": "a.bcolz", "npy": "a.npy"}
WRITABLE = ["b2nd", "bcolz"]
DTYPES = ["<i4", ">f8", "u1", "<c8", "<f2", "?", "S5", "<U3", "<M8[s]", [("a", "<i2"), ("b", "<f8")]]

quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def saved(tmp_path_factory, format, items, **options):
    path = str(tmp_path_factory.mktemp("arrays") / FORMATS[format])
    blpk.save(path, items, **options)
    return path


def numbered(shape, dtype="<i4"):
    """Return an array whose items tell their place."""
    count = int(np.prod(shape))
    if np.dtype(dtype).kind in "SU":
        return np.array([str(n % 1000) for n in range(count)], dtype).reshape(shape)
    if np.dtype(dtype).names:
        rows = np.zeros(count, dtype)
        rows["a"], rows["b"] = np.arange(count) % 999, np.arange(count)
        return rows.reshape(shape)
    return np.arange(count).astype(dtype).reshape(shape)


shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=9)


@pytest.mark.parametrize("format", FORMATS)
@quick
@given(data=st.data())
def test_basic_indexing_is_that_of_numpy(tmp_path_factory, format, data):
    shape = data.draw(shapes)
    items = numbered(shape)
    if format != "bcolz" and data.draw(st.booleans()):
        items = np.asfortranarray(items)
    chunks = tuple(data.draw(st.integers(1, n)) for n in shape) if format == "b2nd" else None
    array = blpk.open(saved(tmp_path_factory, format, items, chunks=chunks))
    assert array.shape == shape and array.dtype == items.dtype
    for _ in range(10):
        key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
        expected, found = items[key], array[key]
        assert type(found) is type(expected) and np.shape(found) == np.shape(expected)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("format", FORMATS)
@quick
@given(data=st.data())
def test_arrays_as_an_index(tmp_path_factory, format, data):
    shape = data.draw(shapes)
    items = numbered(shape)
    array = blpk.open(saved(tmp_path_factory, format, items))
    rows = data.draw(st.lists(st.integers(-shape[0], shape[0] - 1)))
    mask = data.draw(hnp.arrays(bool, shape[0]))
    for key in (rows, np.array(rows, np.int16), mask):
        np.testing.assert_array_equal(array[key], items[key])
    if len(shape) > 1:
        np.testing.assert_array_equal(array[mask, ::-1], items[mask, ::-1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("format", FORMATS)
def test_every_dtype(tmp_path_factory, format, dtype):
    items = numbered((30, 4), dtype)
    if format == "bcolz" and items.dtype.names:
        with pytest.raises(ValueError, match="fields"):
            saved(tmp_path_factory, format, items)
        return
    array = blpk.open(saved(tmp_path_factory, format, items))
    assert array.dtype == items.dtype
    np.testing.assert_array_equal(array[5:20, 1:], items[5:20, 1:])
    np.testing.assert_array_equal(np.asarray(array), items)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 1, 1)])
@pytest.mark.parametrize("format", FORMATS)
def test_arrays_with_few_items(tmp_path_factory, format, shape):
    if format == "bcolz" and not shape:
        pytest.skip("a carray has rows")
    if format == "bcolz" and shape == (3, 0):
        pytest.skip("rows of a carray have at least one byte")
    items = np.zeros(shape, "f4")
    array = blpk.open(saved(tmp_path_factory, format, items))
    assert array.shape == shape
    np.testing.assert_array_equal(array[...], items)
    assert [row.shape for row in array] == [row.shape for row in items] if shape else True


@pytest.mark.parametrize("format", FORMATS)
def test_wrong_indices_are_index_errors(tmp_path_factory, format):
    array = blpk.open(saved(tmp_path_factory, format, numbered((5, 4))))
    for key in (5, -6, (0, 4), (0, 0, 0), (..., ...), 1.5, "x", [5], [True], [[0]], ([0.5],), {}):
        with pytest.raises(IndexError):
            array[key]
    with pytest.raises(ValueError):
        array[::0]


@pytest.mark.parametrize("format", ["bloscpack", "b2nd", "bcolz"])
def test_only_touched_blocks_are_decoded(tmp_path_factory, format):
    items = np.random.default_rng(1).integers(0, 1 << 20, (4000, 100))
    options = {"chunks": (100, 100), "codec": "lz4"}
    if format == "b2nd":
        options["blocks"] = (50, 50)
    array = blpk.open(saved(tmp_path_factory, format, items, **options))
    block = int(np.prod(array.blocks)) * 8
    assert block < items.nbytes / 20
    for key, blocks in ((1234, 2), (slice(1000, 1001), 2), (3999, 2), ([7, 2000], 4), (slice(0, 0), 0)):
        before = array.decoded
        np.testing.assert_array_equal(array[key], items[key])
        assert (blocks > 0) <= array.decoded - before <= blocks * block, key


@pytest.mark.parametrize("format", WRITABLE)
@quick
@given(data=st.data())
def test_assignment_is_that_of_numpy(tmp_path_factory, format, data):
    shape = data.draw(shapes)
    items = numbered(shape)
    path = saved(tmp_path_factory, format, items)
    array = blpk.open(path, "r+")
    for number in range(5):
        key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
        value = -number if data.draw(st.booleans()) else np.arange(np.size(items[key])).reshape(np.shape(items[key])) * 7
        items[key] = value
        array[key] = value
        np.testing.assert_array_equal(array[...], items)
    np.testing.assert_array_equal(blpk.open(path)[...], items)


@pytest.mark.parametrize("format", ["bloscpack", *WRITABLE])
def test_append_and_resize(tmp_path_factory, format):
    items = numbered((100, 3))
    path = saved(tmp_path_factory, format, items)
    array = blpk.open(path, "r+")
    array.attrs["unit"] = "m/s"
    array.append(items[:10])
    array.append(items[3])
    expected = np.concatenate([items, items[:10], items[3:4]])
    np.testing.assert_array_equal(array[...], expected)
    if format == "bloscpack":
        with pytest.raises(blpk.UnsupportedError):
            array.resize((50, 3))
        with pytest.raises(blpk.UnsupportedError):
            array[0] = 1
    else:
        array.resize((50, 3))
        np.testing.assert_array_equal(array[...], expected[:50])
        array.resize((60, 3))
        np.testing.assert_array_equal(array[50:], 0)
    again = blpk.open(path)
    assert again.attrs["unit"] == "m/s" and dict(again.attrs) == {"unit": "m/s"}
    with pytest.raises(ValueError):
        array.append(np.zeros((2, 4)))


def test_b2nd_grows_along_every_axis(tmp_path_factory):
    items = numbered((5, 7))
    array = blpk.open(saved(tmp_path_factory, "b2nd", items), "r+")
    array.resize((9, 12))
    expected = np.zeros((9, 12), items.dtype)
    expected[:5, :7] = items
    np.testing.assert_array_equal(array[...], expected)


def test_vlmeta(tmp_path_factory):
    array = blpk.open(saved(tmp_path_factory, "b2nd", numbered((5, 7))), "r+")
    array.vlmeta["raw"] = b"\x01\x02"
    assert dict(array.vlmeta) == {"raw": b"\x01\x02"}
    del array.vlmeta["raw"]
    assert len(array.vlmeta) == 0
    with pytest.raises(KeyError):
        array.vlmeta["raw"]
    with pytest.raises(KeyError):
        del array.vlmeta["raw"]


def test_attributes_are_a_mapping(tmp_path_factory):
    for format in ("bloscpack", "b2nd", "bcolz"):
        array = blpk.open(saved(tmp_path_factory, format, numbered((5, 7))), "r+")
        array.attrs.update(a=1, b=[1, 2, {"c": None}], d="ü")
        assert dict(array.attrs) == {"a": 1, "b": [1, 2, {"c": None}], "d": "ü"}
        del array.attrs["a"]
        with pytest.raises(KeyError):
            del array.attrs["a"]
        assert sorted(array.attrs) == ["b", "d"], format
        np.testing.assert_array_equal(array[...], numbered((5, 7)))


def test_modes(tmp_path):
    path = tmp_path / "a.b2nd"
    for mode in ("r", "r+"):
        with pytest.raises(FileNotFoundError):
            blpk.open(path, mode)
    assert blpk.open(path, "a", shape=(3,), dtype="i4")[...].tolist() == [0, 0, 0]
    blpk.open(path, "a")[1] = 5
    with pytest.raises(FileExistsError):
        blpk.open(path, "w-", shape=(3,), dtype="i4")
    assert blpk.open(path)[1] == 5
    with pytest.raises(OSError):
        blpk.open(path)[1] = 6
    assert blpk.open(path, "w", shape=(2,), dtype="i4", fill_value=7)[...].tolist() == [7, 7]
    for wrong in ({"mode": "x"}, {"threads": 0}):
        with pytest.raises(ValueError):
            blpk.open(path, **wrong)
    for half in ({"shape": 3}, {"dtype": "i4"}, {"shape": 3, "dtype": "i4", "colour": "red"}):
        with pytest.raises(TypeError):
            blpk.open(path, "w", **half)
    with pytest.raises(TypeError):
        blpk.open(path, "r", codec="lz4")
    # Arguments for a new array have no effect on one that exists.
    again = [blpk.open(tmp_path / "b.b2nd", "a", shape=(3,), dtype="f8", chunks=(2,), codec="lz4") for _ in range(2)]
    assert [array.chunks for array in again] == [(2,), (2,)]
    with pytest.raises(TypeError, match="colour"):
        blpk.open(path, "a", shape=(3,), dtype="i4", colour="red")
    with pytest.raises(TypeError, match="content"):
        blpk.open(b"name", "w")
    limited = blpk.open(path, "w", shape=1000, dtype="f8", limits={"max_nbytes": 100})
    with pytest.raises(blpk.LimitError):
        limited[:]


@pytest.mark.parametrize("format", FORMATS)
def test_fill_values(tmp_path, format):
    array = blpk.create(tmp_path / FORMATS[format], (30, 5), ">i4", fill_value=-3)
    assert (array[...] == -3).all() and array.shape == (30, 5)


def test_a_large_array_of_zeros_takes_no_time(tmp_path):
    array = blpk.create(tmp_path / "zeros.b2nd", (1_000_000, 10_000), "f8")
    array[999_999, 5] = 1
    assert array[999_999, 4:7].tolist() == [0, 1, 0]
    assert (tmp_path / "zeros.b2nd").stat().st_size < 1 << 20


def test_errors_that_a_programmer_expects(tmp_path):
    items = numbered((3, 3))
    for path in (tmp_path / "none" / "a.blp", tmp_path / "none" / "a.b2nd"):
        with pytest.raises(FileNotFoundError):
            blpk.save(path, items)
    with pytest.raises(IsADirectoryError):
        blpk.open(tmp_path)
    with pytest.raises(ValueError):
        blpk.save(tmp_path / "a.b2nd", np.zeros((1,) * 17))
    blpk.save(tmp_path / "a.npy", items)
    for change in (lambda a: a.append(items), lambda a: a.resize((1, 3)), lambda a: a.vlmeta.update(x=b"")):
        with pytest.raises(blpk.UnsupportedError):
            change(blpk.open(tmp_path / "a.npy", "r+"))
    (tmp_path / "t.txt").write_text("only text")
    with pytest.raises(blpk.DamagedError):
        blpk.open(tmp_path / "t.txt")


def test_sources(tmp_path):
    items = numbered((1000, 5))
    for format in ("bloscpack", "b2nd", "npy"):
        path = tmp_path / FORMATS[format]
        blpk.save(path, items)
        for source in (str(path), path, path.read_bytes(), bytearray(path.read_bytes()), open(path, "rb")):
            array = blpk.open(source)
            np.testing.assert_array_equal(array[100:900:3], items[100:900:3])
        with pytest.raises(OSError):
            blpk.open(path.read_bytes(), "r+")[0] = 1
    for wrong in (3, None, b"no container", b""):
        with pytest.raises((TypeError, blpk.Error)):
            blpk.open(wrong)


def test_errors_of_file_objects_are_passed_on(tmp_path):
    blpk.save(tmp_path / "a.blp", numbered((100_000,)))

    class Failing:
        def __init__(self):
            self.file, self.works = open(tmp_path / "a.blp", "rb"), True

        def seek(self, *args):
            return self.file.seek(*args)

        def read(self, count):
            if not self.works:
                raise RuntimeError("no more")
            return self.file.read(min(count, 10_000))

    source = Failing()
    array = blpk.open(source)
    assert array[50_000] == 50_000
    source.works = False
    with pytest.raises(RuntimeError, match="no more"):
        array[60_000]


@pytest.mark.parametrize("format", FORMATS)
def test_pickles_hold_no_data(tmp_path_factory, format):
    items = numbered((100_000,))
    array = blpk.open(saved(tmp_path_factory, format, items), threads=2)
    assert array[5] == 5
    pickled = pickle.dumps(array)
    assert len(pickled) < 1000
    np.testing.assert_array_equal(pickle.loads(pickled)[...], items)


def test_a_closed_array(tmp_path):
    blpk.save(tmp_path / "a.b2nd", numbered((5,)))
    with blpk.open(tmp_path / "a.b2nd") as array:
        assert array[0] == 0
        assert "b2nd (5,) int32" in repr(array)
    with pytest.raises(ValueError, match="closed"):
        array[0]
    assert "closed" in repr(array)


def test_iteration(tmp_path_factory):
    items = numbered((5000, 50), "<f8")
    for format in FORMATS:
        array = blpk.open(saved(tmp_path_factory, format, items))
        assert len(array) == 5000
        for row, expected in zip(array, items, strict=True):
            assert (row == expected).all()


def test_iteration_decodes_every_chunk_once(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(1_000_000), chunks=(70_000,), blocks=(70_000,))
    array = blpk.open(tmp_path / "a.b2nd")
    assert sum(1 for _ in array) == 1_000_000
    assert array.decoded <= 15 * 70_000 * 8


def peak_of(work):
    """Return the most bytes that Python and NumPy hold during `work`."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_iteration_in_bounded_memory(tmp_path):
    items = np.arange(8_000_000.0).reshape(2000, 4000)
    blpk.save(tmp_path / "tall.b2nd", items, chunks=(2000, 200))
    blpk.save(tmp_path / "columns.blp", np.asfortranarray(items))
    for name in ("tall.b2nd", "columns.blp"):
        array = blpk.open(tmp_path / name)
        found = []
        assert peak_of(lambda: found.extend(float(row[7]) for row in array)) < 36 << 20, name
        assert found == items[:, 7].tolist()


def test_index_arrays_in_bounded_memory(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(8_000_000.0))
    array = blpk.open(tmp_path / "a.b2nd")
    numbers = np.arange(0, len(array), array.blocks[0])[::-1]
    found = []
    assert peak_of(lambda: found.append(array[numbers])) < 36 << 20
    assert found[0].tolist() == numbers.tolist()
    assert array.decoded <= array.nbytes + array.blocks[0] * 8


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_a_few_of_many_items_can_be_interrupted(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.random.default_rng(1).integers(0, 1000, 30_000_000), codec="zstd")
    array = blpk.open(tmp_path / "a.b2nd")
    start = time.perf_counter()
    array[::3000]
    whole = time.perf_counter() - start

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, whole / 5)
        with pytest.raises(KeyboardInterrupt):
            array[::3000]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_masked_items_are_refused(tmp_path):
    masked = np.ma.masked_equal([1, 2, 999], 999)
    array = blpk.create(tmp_path / "a.b2nd", 3, masked.dtype)
    stores = (
        lambda: blpk.save(tmp_path / "b.b2nd", masked),
        lambda: array.append(masked),
        lambda: array.__setitem__(slice(3), masked),
    )
    for store in stores:
        with pytest.raises(TypeError, match="masked"):
            store()
    array[:] = np.ma.array([4, 5, 6])
    assert array[:].tolist() == [4, 5, 6]


@pytest.mark.parametrize("threads", [1, 2, None])
def test_threads_do_not_change_the_file(tmp_path, threads):
    items = np.random.default_rng(3).integers(0, 1000, (3_000_000,))
    blpk.save(tmp_path / "a.b2nd", items, threads=threads)
    blpk.save(tmp_path / "b.b2nd", items)
    assert (tmp_path / "a.b2nd").read_bytes() == (tmp_path / "b.b2nd").read_bytes()
    np.testing.assert_array_equal(blpk.open(tmp_path / "a.b2nd", threads=threads)[...], items)


def test_damage_and_limits(tmp_path):
    path = tmp_path / "a.blp"
    blpk.save(path, np.random.default_rng(3).integers(0, 1000, (1_000_000,)), codec="zstd")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    array = blpk.open(content)
    with pytest.raises(blpk.DamagedError):
        array[...]
    with pytest.raises(blpk.DamagedError):
        array.verify()
    with pytest.raises(blpk.DamagedError):
        blpk.open(content[:50])
    with pytest.raises(blpk.LimitError, match='; pass limits={"max_') as raised:
        blpk.open(path, limits={"max_chunk": 1000})[0]
    assert raised.value.limit == "max_chunk" and raised.value.allowed == 1000


@pytest.mark.parametrize("ending", [".b2nd", ".bcolz"])
def test_items_without_bytes_are_no_damage(tmp_path, ending):
    path = tmp_path / f"array{ending}"
    with pytest.raises(ValueError, match="no items of 0 bytes") as caught:
        blpk.save(path, np.zeros(3, "V0"))
    assert not isinstance(caught.value, blpk.DamagedError)
    with pytest.raises(ValueError, match="no items of 0 bytes"):
        blpk.create(path, (3,), "S0")
    assert not path.exists()
