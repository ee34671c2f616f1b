"""Attributes that a reader refuses."""

import concurrent.futures

import numpy as np
import pytest

import blpk

MIB = 1 << 20


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.b2nd"
    blpk.save(path, np.arange(10.0))
    return path


def test_attributes_that_readers_refuse_are_refused(path):
    array = blpk.open(path, "r+")
    with pytest.raises(blpk.LimitError, match="vlmetalayers together: .*; readers refuse more$") as raised:
        array.attrs["huge"] = "x" * (17 * MIB)
    assert raised.value.limit == "max_metadata" and raised.value.needed > raised.value.allowed == 16 * MIB
    array.attrs["large"] = "x" * (15 * MIB)
    with pytest.raises(blpk.LimitError):
        array.attrs["too much"] = "x" * (2 * MIB)
    with pytest.raises(blpk.LimitError):
        array.vlmeta["too much"] = bytes(2 * MIB)
    array.attrs["small"] = 1
    assert list(array.attrs) == ["large", "small"]
    array.verify()


def test_unreadable_attributes_are_not_hidden(path):
    array = blpk.open(path, "r+", limits={"max_metadata": 1000})
    for name, value in (("a", "x" * 600), ("b", "x" * 700), ("c", 3), ("d", "x" * 1100)):
        array.attrs[name] = value
    for read in (list, len, dict, repr):
        with pytest.raises(blpk.LimitError, match="attribute 'b'") as raised:
            read(array.attrs)
        assert (raised.value.limit, raised.value.allowed) == ("max_metadata", 1000)
    # Each of them is within the limit, except the last one.
    assert array.attrs["b"] == "x" * 700 and array.attrs["c"] == 3 and "e" not in array.attrs
    with pytest.raises(blpk.LimitError, match="attribute 'd'"):
        array.attrs["d"]
    for name in ("b", "d"):
        del array.attrs[name]
    assert list(array.attrs) == ["a", "c"]
    with pytest.raises(KeyError):
        del array.attrs["b"]


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz", "a.blp"])
def test_missing_attributes(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(10.0))
    array = blpk.open(tmp_path / name, "r+")
    for key in ("x", 5):
        assert key not in array.attrs
        with pytest.raises(KeyError):
            array.attrs[key]
    with pytest.raises(KeyError):
        del array.attrs["x"]


@pytest.mark.parametrize("name", ["a.b2nd", "a.blp", "a.bcolz"])
def test_values_of_numpy(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(10.0))
    array = blpk.open(tmp_path / name, "r+")
    array.attrs.update(n=np.int64(3), f=np.float32(0.5), b=np.bool_(True), a=np.arange(3))
    assert {key: array.attrs[key] for key in "nfba"} == {"n": 3, "f": 0.5, "b": True, "a": [0, 1, 2]}
    with pytest.raises(TypeError, match="JSON has none"):
        array.attrs["object"] = object()
    with pytest.raises(ValueError):
        array.attrs["\ud800"] = 1


def test_names_that_are_no_text(path):
    array = blpk.open(path, "r+")
    array.vlmeta["raw"] = b"abc"
    for mapping in (array.attrs, array.vlmeta):
        assert 1 not in mapping
        with pytest.raises(KeyError):
            del mapping[1]
    assert array.vlmeta["raw"] == b"abc"


def test_larger_limits_allow_more_metadata(path):
    array = blpk.open(path, "r+", limits={"max_metadata": 64 * MIB})
    array.attrs["huge"] = "x" * (17 * MIB)
    assert len(array.attrs["huge"]) == 17 * MIB
    with pytest.raises(blpk.LimitError):
        list(blpk.open(path).attrs)


def test_attributes_keep_their_file_open(tmp_path):
    with blpk.open(tmp_path / "a.blp", "w") as file:
        file.write(b"abc")
    attrs = blpk.open(tmp_path / "a.blp", "r+").attrs
    attrs["unit"] = "m"
    assert dict(attrs) == {"unit": "m"}


def test_values_that_json_lacks(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(3))
    array = blpk.open(tmp_path / "a.b2nd", "r+")
    array.attrs["long"] = np.longdouble(1.5)
    assert array.attrs["long"] == 1.5
    for value in (np.datetime64("2020-01-01", "ns"), np.timedelta64(1, "s"), np.complex64(1j), memoryview(b"ab"), b"ab"):
        with pytest.raises(TypeError, match="JSON has none"):
            array.attrs["x"] = value
    assert list(array.attrs) == ["long"]


def test_small_limits_do_not_keep_metadata_from_being_changed(path):
    blpk.open(path, "r+").attrs["large"] = "x" * MIB
    array = blpk.open(path, "r+", limits={"max_memory": 40_000, "max_metadata": 1000})
    array.attrs["small"] = 1
    del array.attrs["large"]
    assert dict(array.attrs) == {"small": 1}


def test_threads_set_attributes(path):
    array = blpk.open(path, "r+")

    def write(number):
        array.attrs[f"a{number % 4}"] = number
        array.vlmeta[f"v{number % 4}"] = b"abc"

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(16))) == [None] * 16
    assert len(blpk.open(path).vlmeta) == 8
