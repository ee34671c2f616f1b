"""Attributes that a reader refuses."""

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
