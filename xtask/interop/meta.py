"""Attributes exchanged between blpk (`meta set`, `convert`) and python-blosc2, bcolz-zipline and bloscpack.

Values that a library has no type for are left out: JSON of bloscpack and bcolz has no bytes, MessagePack has no
integers beyond 64 bits.
"""

import sys

# Keeps bcolz.py in this folder from shadowing the library.
HERE = sys.path.pop(0)
import bcolz  # noqa: E402

sys.path.insert(0, HERE)

import base64
import json
import math
import os

import blosc2
import bloscpack
import numpy
from _common import Tally, blpk, work_folder

VALUES = {
    "null": None,
    "true": True,
    "small": -5,
    "unsigned": 2**64 - 1,
    "signed": -(2**63),
    "float": 0.1,
    "nan": math.nan,
    "inf": -math.inf,
    "text": "k\u00e4\0\U0001f600",
    "long": "x" * 70_000,
    "list": list(range(20)),
    "nested": {"a": [1, {"b": None}], "": ""},
}
# Python values that only MessagePack has, with their JSON form.
TAGGED = {
    "bytes": (b"\xff\0", {"$bytes": "/wA="}),
    "tuple": ((1, "a"), ["__tuple__", 1, "a"]),
    "complex": (1 + 2j, {"$ext": [44, base64.b64encode(bytes.fromhex("3ff00000000000004000000000000000")).decode()]}),
}
PYTHON = VALUES | {name: value for name, (value, _) in TAGGED.items()}
JSON = VALUES | {name: value for name, (_, value) in TAGGED.items()}
tally = Tally()


def same(a, b):
    """Compares values. NaN equals NaN, and 1 equals neither True nor 1.0."""
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def equal(what, found, expected):
    tally.check(same(found, expected), what, f"{found!r:.200} is not {expected!r:.200}")


def ours(path, *column):
    """Returns all attributes as blpk prints them."""
    run = blpk("meta", "get", *column, path)
    return json.loads(run.stdout) if tally.check(run.ok, f"meta get {path}", str(run)) else {}


def set_ours(path, values, *column):
    for name, value in values.items():
        run = blpk("meta", "set", *column, path, name, json.dumps(value))
        tally.check(run.ok, f"meta set {path} {name}", str(run))


def frames(folder):
    array = numpy.arange(1000.0).reshape(10, 100)
    for contiguous in True, False:
        path = os.path.join(folder, f"frame{contiguous}.b2nd")
        made = blosc2.asarray(array, urlpath=path, mode="w", contiguous=contiguous, meta={"fixed": [1, "a"]})
        for name, value in PYTHON.items():
            made.schunk.vlmeta[name] = value
        del made
        equal(f"{path} by python-blosc2", ours(path), JSON | {"fixed": [1, "a"]})
        for name in JSON:
            run = blpk("meta", "rm", path, name)
            tally.check(run.ok, f"meta rm {name}", str(run))
        set_ours(path, JSON)
        back = blosc2.open(path)
        for name, value in PYTHON.items():
            equal(f"{path} {name} by blpk", back.schunk.vlmeta[name], value)
        equal(f"{path} metalayer", back.schunk.meta["fixed"], [1, "a"])
        tally.check(numpy.array_equal(back[:], array), f"{path}: the items")
        back = blosc2.open(path, mode="a")
        back.schunk.vlmeta["more"] = [2]
        del back
        equal("edited by python-blosc2 after blpk", ours(path).get("more"), [2])
    return path


def converted(folder, frame):
    everything = JSON | {"more": [2], "fixed": [1, "a"]}
    only_many = lambda run: run.ok and all(b"C-Blosc2 reads" in line for line in run.stderr.splitlines())
    for target in "blp", "bcolz", "b2frame", "b2nd":
        path, back = os.path.join(folder, f"out.{target}"), os.path.join(folder, f"back-{target}.b2nd")
        run = blpk("convert", frame, path)
        tally.check(only_many(run), f"convert to {target}", str(run))
        run = blpk("convert", "--chunkshape", "5,50", path, back)
        tally.check(only_many(run), f"convert from {target}", str(run))
        found = blosc2.open(back)
        for name, value in PYTHON.items():
            equal(f"{target} {name}", found.schunk.vlmeta[name], value)
        if target == "blp":
            array = bloscpack.unpack_ndarray_from_file(path)
            tally.check(numpy.array_equal(array, found[:]), "bloscpack reads an array with attributes")
        if target == "bcolz":
            attrs = bcolz.open(path, mode="r").attrs
            equal("attributes for bcolz", {name: attrs[name] for name in everything}, everything)


def bloscpacks(folder):
    source, path = os.path.join(folder, "plain"), os.path.join(folder, "x.blp")
    with open(source, "wb") as file:
        file.write(bytes(100_000))
    bloscpack.pack_file_to_file(source, path, metadata=VALUES)
    equal("metadata by bloscpack", ours(path), VALUES)
    added = {"added": "y" * 100_000, "small": [7]}
    set_ours(path, added)
    blpk("meta", "rm", path, "null")
    expected = {name: value for name, value in (VALUES | added).items() if name != "null"}
    found = bloscpack.unpack_file_from_file(path, os.path.join(folder, "again"))
    equal("metadata by blpk", found, expected)
    with open(os.path.join(folder, "again"), "rb") as file:
        tally.check(file.read() == bytes(100_000), "the data beside metadata by blpk")
    array = os.path.join(folder, "array.blp")
    bloscpack.pack_ndarray_to_file(numpy.arange(5000), array)
    equal("an array of bloscpack", ours(array), {})
    set_ours(array, VALUES)
    tally.check(numpy.array_equal(bloscpack.unpack_ndarray_from_file(array), numpy.arange(5000)), "an array with more")


def bcolzs(folder):
    path, table = os.path.join(folder, "x.bcolz"), os.path.join(folder, "t.bcolz")
    made = bcolz.carray(numpy.arange(100), rootdir=path, mode="w")
    for name, value in VALUES.items():
        made.attrs[name] = value
    made.flush()
    equal("attributes by bcolz", ours(path), VALUES)
    set_ours(path, {"small": {"b": 1}, "new": math.inf})
    attrs = bcolz.open(path, mode="r").attrs
    equal("attributes by blpk", (attrs["small"], attrs["new"], attrs["nan"]), ({"b": 1}, math.inf, math.nan))
    made = bcolz.ctable((numpy.arange(10), numpy.arange(10.0)), names=["a", "b"], rootdir=table, mode="w")
    made.attrs["title"] = "bars"
    made["a"].attrs["unit"] = "K"
    made.flush()
    equal("a table by bcolz", (ours(table), ours(table, "--column", "a")), ({"title": "bars"}, {"unit": "K"}))
    set_ours(table, {"title": [1]})
    set_ours(table, {"unit": None}, "--column", "a")
    made = bcolz.open(table, mode="r")
    equal("a table by blpk", (made.attrs["title"], made["a"].attrs["unit"]), ([1], None))


with work_folder() as folder:
    converted(folder, frames(folder))
    bloscpacks(folder)
    bcolzs(folder)
tally.finish()
