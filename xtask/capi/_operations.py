"""Random operations of python-blosc2, the same ones for the same seed. Prints a line for the result of each.

    _operations.py run COUNT SEED FOLDER
    _operations.py read FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import blosc2
import numpy
from _arrays import Arrays
from _schunks import SChunks, has_items, items
from _state import CODECS, DELTA, DTYPES, FILTERS, digest

#: The id of the filter and the codec that Python functions are.
OWN = 200


def own_forward(source, output, meta, schunk):
    """Change bytes as a filter does."""
    output[:] = source ^ 0x5A


def own_encoder(source, output, meta, schunk):
    """Compress a block of one repeated byte, as a codec does."""
    if not (source == source[0]).all():
        return 0
    output[0] = source[0]
    return 1


def own_decoder(source, output, meta, schunk):
    """Decompress what `own_encoder` made."""
    output[:] = source[0]
    return output.size


class Operations(SChunks, Arrays):
    """All operations."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed, folder)
        blosc2.register_filter(OWN, own_forward, own_forward, "own")
        blosc2.register_codec("own", OWN, own_encoder, own_decoder)

    def compress(self) -> object:
        """Compress and decompress bytes."""
        dtype = self.random.choice(DTYPES)
        data = self.data(dtype, self.random.choice([0, 1, 100, 5000]))
        chunk = blosc2.compress2(data, cparams=self.cparams(dtype, [*FILTERS, DELTA]))
        return blosc2.decompress2(chunk), blosc2.get_cbuffer_sizes(chunk)[0]

    def pack(self) -> object:
        """Pack and unpack an array, and call the functions of Blosc1."""
        data = self.data(self.random.choice(DTYPES), self.random.randrange(1, 3000))
        frame = blosc2.pack_tensor(data)
        clevel, codec = self.random.randrange(10), self.random.choice(CODECS)
        chunk = blosc2.compress(data, typesize=data.itemsize, clevel=clevel, codec=codec)
        return blosc2.unpack_tensor(frame), blosc2.decompress(chunk)

    def functions(self) -> object:
        """Use a filter and a codec of Python functions, a prefilter and a postfilter."""
        data = self.data("<i4", self.random.choice([1000, 20000]))
        cparams, dparams = {"typesize": 4, "nthreads": 1}, {"nthreads": 1}
        filters = {"filters": [blosc2.Filter.SHUFFLE, OWN], "filters_meta": [0, 0]}
        codec = {"codec": OWN, "filters": [blosc2.Filter.NOFILTER], "filters_meta": [0]}
        own, coded, post = (
            blosc2.SChunk(40_000, data, cparams={**cparams, **more}, dparams=dparams) for more in (filters, codec, {})
        )

        @post.postfilter(numpy.dtype("<i4"), numpy.dtype("<i4"))
        def doubled(source, output, offset):
            output[:] = source * 2 + offset

        filled = blosc2.SChunk(data.nbytes, cparams=cparams)

        @filled.filler([(data, numpy.dtype("<i4"))], numpy.dtype("<i4"), data.size)
        def negated(inputs, output, offset):
            output[:] = -inputs[0]

        return own[:], coded[:], post[:], filled[:]

    def vlmeta(self) -> object:
        """Change and read metadata of variable length."""
        objects = self.schunks + self.arrays
        layers = self.one(objects, self.new_schunk).vlmeta if objects else None
        if layers is None:
            return None
        name = self.random.choice("abcdef")
        if self.random.random() < 0.7:
            layers[name] = self.random.choice([1, "text" * self.random.randrange(100), {"k": [1, 2.5]}, b"\0" * 500])
        else:
            del layers[name]
        return layers.getall()

    def reopen(self) -> object:
        """Open a super-chunk or an array on disk, or one in the bytes of a frame."""
        kept = self.random.choice([self.schunks, self.arrays])
        found = self.one(kept, self.new_schunk if kept is self.schunks else self.new_array)
        path = found.urlpath
        opened = blosc2.open(path, mode=self.random.choice("ra")) if path else None
        if opened is None:
            from_frame = blosc2.schunk_from_cframe if kept is self.schunks else blosc2.ndarray_from_cframe
            opened = from_frame(found.to_cframe(), copy=True)
        if kept is self.arrays:
            return opened[...]
        return items(opened) if found.is_regular and has_items(found) else b""

    def run(self, count: int) -> None:
        """Do operations, and print their results."""
        frequent = [self.compress, self.change_schunk, self.read_schunk, self.write_slice, self.vlmeta, self.reopen]
        frequent += [self.read_array, self.write_array, self.change_array]
        for number in range(count):
            # A different result does not change the operations that follow.
            self.random.seed(f"{self.seed} {number}")
            operation = self.random.choice([*frequent, *frequent, self.new_schunk, self.new_array, self.pack])
            if number % 100 == 0:
                operation = self.functions
            print(number, operation.__name__, self.result(operation), flush=True)
        for path in self.irregular:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def read(folder: Path) -> None:
    """Print what the files in a folder hold."""
    for path in sorted(folder.iterdir(), key=lambda path: int(path.stem)):
        try:
            found = blosc2.open(str(path), mode="r")
            content = found[...] if isinstance(found, blosc2.NDArray) else items(found)
            print(path.name, digest(content), digest(sorted(found.vlmeta.getall().items(), key=str)))
        except Exception as error:  # noqa: BLE001
            print(path.name, type(error).__name__)


def main() -> None:
    match sys.argv[1:]:
        case "run", count, seed, folder:
            shutil.rmtree(folder, ignore_errors=True)
            Path(folder).mkdir(parents=True)
            Operations(int(seed), Path(folder)).run(int(count))
        case "read", folder:
            read(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
