"""The assertions of :mod:`unittest` as functions, named in snake case."""

import re
import unittest

_CASE = unittest.TestCase()


def _snake(name: str) -> str:
    return re.sub("([A-Z])", lambda found: "_" + found[1].lower(), name)


for _name in dir(_CASE):
    if _name.startswith("assert") and not _name.startswith("assert_"):
        globals()[_snake(_name)] = getattr(_CASE, _name)

# Names that unittest had before Python 3.12.
assert_equals = _CASE.assertEqual
assert_not_equals = _CASE.assertNotEqual
assert_raises_regexp = _CASE.assertRaisesRegex


def nottest(function):
    """Mark a function that is no test, whatever its name."""
    function.__test__ = False
    return function


def istest(function):
    """Mark a function that is a test, whatever its name."""
    function.__test__ = True
    return function
