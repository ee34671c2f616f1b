"""A plugin for pytest that runs tests written for nose: tests that are generators, and calls of old versions of NumPy.

Each value that a generator test yields is a function with arguments, and becomes a test of its own.
"""

import ctypes
import functools
import gc
import inspect
import re
import sys
import unittest.mock

import numpy
import pytest

sys.modules.setdefault("mock", unittest.mock)


def pytest_pycollect_makeitem(collector, name, obj):
    if name.startswith("test") and inspect.isgeneratorfunction(obj):
        return Generator.from_parent(collector, name=name, function=obj)
    return None


class Generator(pytest.Collector):
    """A test that yields tests."""

    def __init__(self, *, function, **kwargs):
        super().__init__(**kwargs)
        self.function = function

    def collect(self):
        number = 0
        try:
            for number, (function, *arguments) in enumerate(self.function(), 1):
                yield Case.from_parent(self, name=f"[{number}]", function=function, arguments=arguments)
        except Exception as error:
            # The generator itself fails: that is a failed test, too.
            yield Case.from_parent(self, name=f"[after {number}]", function=fail, arguments=[error])


def fail(error):
    raise error


class Case(pytest.Item):
    """A test that a generator yielded."""

    def __init__(self, *, function, arguments, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments

    def runtest(self):
        self.function(*self.arguments)


def _restore_numpy():
    """Restore names and arguments of NumPy from the time of the tests."""
    if not hasattr(numpy, "sctypes"):
        numpy.sctypes = {
            "int": [numpy.int8, numpy.int16, numpy.int32, numpy.int64],
            "uint": [numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64],
            "float": [numpy.float16, numpy.float32, numpy.float64, numpy.longdouble],
        }
    linspace = numpy.linspace
    numpy.linspace = lambda start, stop, num=50, **options: linspace(start, stop, int(num), **options)
    numpy.array = functools.partial(_array, numpy.array)
    if not hasattr(numpy.ndarray, "tostring"):
        # The dictionary of a built-in class, which its proxy does not let change.
        (attributes,) = (found for found in gc.get_referents(numpy.ndarray.__dict__) if isinstance(found, dict))
        attributes["tostring"] = numpy.ndarray.__dict__["tobytes"]
        # The interpreter caches the attributes of a class, and their absence.
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(numpy.ndarray))


def _array(array, items, dtype=None, **options):
    return array(items, _renamed(dtype), **options)


def _renamed(dtype):
    """Return a dtype with `S3` in place of `a3`."""
    if isinstance(dtype, str):
        return re.sub(r"^a(\d+)$", r"S\1", dtype)
    if isinstance(dtype, (list, tuple)):
        first, *rest = dtype
        # The first item of a field is its name.
        head = first if isinstance(first, str) else _renamed(first)
        return type(dtype)([head, *map(_renamed, rest)])
    return dtype


_restore_numpy()
