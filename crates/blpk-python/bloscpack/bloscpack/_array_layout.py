"""Dtype, shape and order of an array, from the metadata of a file. Nothing in the metadata is trusted."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy

from .exceptions import NotANumpyArray, ObjectNumpyArrayRejection

#: Largest number of characters of a dtype.
_MAX_DTYPE = 1 << 20


def _conv(descr: Any) -> Any:
    """Return the fields of a dtype as JSON holds them, with tuples in place of the lists that stand for fields.

    Examples
    --------
    >>> _conv([["a", "f8"], ["b", [["c", "i4", 2]]]])
    [('a', 'f8'), ('b', [('c', 'i4', 2)])]
    """
    if not isinstance(descr, list):
        return descr
    items = [_conv(item) for item in descr]
    is_list_of_fields = bool(descr) and isinstance(descr[0], list)
    return items if is_list_of_fields else tuple(items)


def _dtype(text: Any) -> Any:
    """Return the dtype that metadata describes. Files of bloscpack before 0.7.2 hold it as JSON."""
    descr = text
    if isinstance(text, str):
        if len(text) > _MAX_DTYPE:
            raise ValueError(f"the dtype has {len(text)} characters, expected at most {_MAX_DTYPE}")
        try:
            descr = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            # The type string itself, such as <f8.
            descr = text
    if not isinstance(text, (str, list)) or descr is None:
        # NumPy takes None for a dtype, too.
        raise ValueError(f"{text!r} is not a dtype")
    try:
        dtype = numpy.dtype(_conv(descr) if isinstance(text, list) else descr)
    except (TypeError, KeyError, OverflowError, SyntaxError) as error:
        raise ValueError(f"the dtype is not valid: {error}") from error
    if dtype.hasobject:
        # Bytes of a file must not become pointers.
        raise ObjectNumpyArrayRejection(f"the dtype {dtype} contains Python objects")
    return dtype


class ArrayLayout:
    """Dtype, shape and order of an array, from its metadata."""

    def __init__(self, metadata: Any) -> None:
        if not isinstance(metadata, dict) or metadata.get("container") != "numpy":
            raise NotANumpyArray("the metadata does not describe an array")
        try:
            self.dtype = _dtype(metadata["dtype"])
            self.shape = tuple(metadata["shape"])
            self.order = metadata["order"]
        except (KeyError, TypeError) as error:
            raise NotANumpyArray(f"the metadata of the array is incomplete: {error!r}") from error
        except (RecursionError, MemoryError):
            raise ValueError("the dtype is nested too deeply") from None
        if not all(type(length) is int and length >= 0 for length in self.shape) or self.order not in ("C", "F"):
            raise ValueError(f"no array has the shape {self.shape} and the order {self.order!r}")
        self.nbytes: int = math.prod(self.shape) * self.dtype.itemsize

    def empty(self) -> Any:
        return numpy.empty(self.shape, dtype=self.dtype, order=self.order)
