"""Random operations on super-chunks of python-blosc2."""

from __future__ import annotations

from pathlib import Path

import blosc2
import numpy
from _state import DTYPES, FILTERS, State


def items(schunk: blosc2.SChunk, start: int | None = None, stop: int | None = None) -> bytes:
    """Return items of a super-chunk."""
    return schunk[start:stop] if getattr(schunk, "is_regular", True) and has_items(schunk) else b""


def sizes(schunk: blosc2.SChunk) -> list[int]:
    """Return the uncompressed sizes of the chunks."""
    return [blosc2.get_cbuffer_sizes(schunk.get_chunk(number))[0] for number in range(schunk.nchunks)]


def has_items(schunk: blosc2.SChunk, size: int | None = None) -> bool:
    """Return whether items have numbers. C-Blosc2 divides by zero if there is no chunk, or if the sizes of chunks differ."""
    *others, last = sizes(schunk) or [0]
    size = size or schunk.chunksize
    return 0 < last <= size and all(other == size for other in others)


class SChunks(State):
    """Operations on super-chunks. Without the filter delta: C-Blosc2 returns zeros for some slices."""

    def new_schunk(self) -> object:
        """Make a super-chunk."""
        dtype = self.random.choice(DTYPES)
        size = numpy.dtype(dtype).itemsize
        data = self.data(dtype, self.random.choice([0, 10, 3000]))
        chunksize, cparams = size * self.random.choice([100, 1000]), self.cparams(dtype, FILTERS)
        made = blosc2.SChunk(chunksize, data, cparams=cparams, meta={"note": {"n": self.names}}, **self.place("b2frame"))
        made.full, made.is_regular = chunksize, True
        self.keep(self.schunks, made)
        return self.state(made)

    def state(self, schunk: blosc2.SChunk) -> object:
        """Return what a super-chunk tells."""
        note = schunk.meta["note"] if "note" in schunk.meta else None
        return schunk.nchunks, len(schunk), schunk.nbytes, schunk.typesize, schunk.contiguous, note

    def change_schunk(self) -> object:
        """Append, insert, update or delete a chunk."""
        schunk = self.one(self.schunks, self.new_schunk)
        data = self.random.randbytes(schunk.full)
        number = self.random.randrange(schunk.nchunks + 1)
        change = self.random.randrange(6)
        match change:
            case 0 | 1:
                # After a short chunk, C-Blosc2 refuses others in some cases only.
                if any(size < schunk.full for size in sizes(schunk)):
                    return None
                done = schunk.append_data(data if change else data[: schunk.typesize * 5])
            case 2:
                # Before a short chunk, C-Blosc2 inserts none without taking all sizes for different.
                number = schunk.nchunks if any(size < schunk.full for size in sizes(schunk)) else number
                done = schunk.insert_data(number, data, copy=True)
            case 3:
                done = schunk.update_data(number, data, copy=True)
            case 4:
                done = schunk.delete_chunk(number)
            case _:
                # C-Blosc2 refuses the order of no chunks.
                if schunk.nchunks == 0:
                    return None
                order = list(range(schunk.nchunks))
                self.random.shuffle(order)
                done = schunk.reorder_offsets(order)
        # Afterwards, the size of chunks is 0 on one side in some cases only.
        schunk.is_regular &= schunk.nchunks == 0 or has_items(schunk, schunk.full)
        if not schunk.is_regular and schunk.urlpath:
            self.irregular.add(Path(schunk.urlpath))
        return done, self.state(schunk)

    def read_schunk(self) -> object:
        """Read chunks, slices and all of a super-chunk."""
        schunk = self.one(self.schunks, self.new_schunk)
        start, stop = (self.random.randrange(-5, len(schunk) + 5) for _ in range(2))
        number = self.random.randrange(schunk.nchunks + 1)
        return self.tried(
            lambda: items(schunk, start, stop),
            lambda: schunk.decompress_chunk(number),
            lambda: blosc2.decompress2(schunk.get_chunk(number)),
            lambda: [schunk.decompress_chunk(number) for number in range(schunk.nchunks)],
        )

    def write_slice(self) -> object:
        """Write items of a super-chunk."""
        schunk = self.one(self.schunks, self.new_schunk)
        if not (schunk.is_regular and has_items(schunk)):
            return None
        start = self.random.randrange(len(schunk) + 1)
        stop = min(len(schunk), start + self.random.randrange(1500))
        schunk[start:stop] = self.random.randbytes((stop - start) * schunk.typesize)
        return self.state(schunk)
