"""Random operations on arrays of python-blosc2."""

from __future__ import annotations

import blosc2
import numpy
from _state import DTYPES, FILTERS, State


class Arrays(State):
    """Operations on arrays. Without the filter delta: C-Blosc2 hangs if several threads read a slice without the block that
    the others are a difference to."""

    def new_array(self) -> object:
        """Make an array."""
        dtype = self.random.choice(DTYPES)
        shape = tuple(self.random.randrange(1, 30) for _ in range(self.random.randrange(1, 4)))
        chunks = tuple(self.random.randrange(1, axis + 1) for axis in shape)
        blocks = tuple(self.random.randrange(1, axis + 1) for axis in chunks)
        made = {"chunks": chunks, "blocks": blocks, "cparams": self.cparams(dtype, FILTERS), **self.place("b2nd")}
        plain = self.data(dtype, int(numpy.prod(shape))).reshape(shape)
        match self.random.randrange(5):
            case 0:
                array = blosc2.zeros(shape, dtype, **made)
            case 1:
                array = blosc2.full(shape, plain.flat[0], dtype, **made)
            case 2:
                array = blosc2.nans(shape, "<f8", **{**made, "cparams": {"typesize": 8}})
            case _:
                array = blosc2.asarray(plain, **made)
        self.keep(self.arrays, array)
        return array.shape, array.chunks, array.blocks, array.dtype.str, array[...]

    def slices(self, shape: tuple[int, ...]) -> tuple:
        """Return a random index."""
        index = []
        for axis in shape:
            start = self.random.randrange(axis + 1)
            stop = self.random.randrange(start, axis + 1)
            choices = [slice(start, stop), slice(None), slice(start, stop, 2), min(start, axis - 1)]
            index.append(self.random.choice(choices))
        return tuple(index[: self.random.randrange(1, len(index) + 1)]) if index else ()

    def read_array(self) -> object:
        """Read items of an array."""
        array = self.one(self.arrays, self.new_array)
        index = self.slices(array.shape)
        return self.tried(lambda: array[index], lambda: array.slice(index)[...], lambda: array[...])

    def write_array(self) -> object:
        """Write items of an array."""
        array = self.one(self.arrays, self.new_array)
        index = self.slices(array.shape)
        old = array[index]
        array[index] = self.data(array.dtype.str.replace("|", ""), max(1, old.size))[: old.size].reshape(old.shape)
        return array[...]

    def change_array(self) -> object:
        """Resize, copy, save or join an array."""
        array = self.one(self.arrays, self.new_array)
        match self.random.randrange(4):
            case 0:
                array.resize(tuple(self.random.randrange(1, 35) for _ in array.shape))
                return array.shape
            case 1:
                copy = array.copy(cparams=self.cparams(array.dtype.str, FILTERS))
                self.keep(self.arrays, copy)
                return copy[...]
            case 2:
                self.names += 1
                array.save(str(self.folder / f"{self.names}.b2nd"))
                return blosc2.open(str(self.folder / f"{self.names}.b2nd"))[...]
            case _:
                return blosc2.concat([array, array], axis=self.random.randrange(array.ndim))[...]
