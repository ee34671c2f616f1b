"""Frames and arrays, written and edited by python-blosc2 and by bloscpack-io in turn, and read by both.

We write with `blpk convert` and with the example `frame_edit` of bloscpack-io, which is in the folder `examples` next
to blpk. Cases that C-Blosc2 cannot write itself are left out (docs/format/blosc2-frame.md, section 10).
"""

import itertools
import json
import os
import random
import shutil
import subprocess

import blosc2
import numpy
from _common import BLPK, Tally, blpk, sampled

FRAME_EDIT = os.path.join(os.path.dirname(BLPK), "examples", "frame_edit")
CODECS = {
    "blosclz": blosc2.Codec.BLOSCLZ,
    "lz4": blosc2.Codec.LZ4,
    "lz4hc": blosc2.Codec.LZ4HC,
    "zlib": blosc2.Codec.ZLIB,
    "zstd": blosc2.Codec.ZSTD,
}
FILTERS = {
    "none": blosc2.Filter.NOFILTER,
    "shuffle": blosc2.Filter.SHUFFLE,
    "bitshuffle": blosc2.Filter.BITSHUFFLE,
    "delta": blosc2.Filter.DELTA,
}
tally = Tally()


class Frame:
    """A frame on disk, its expected contents, and both ways to edit it."""

    def __init__(self, folder, name, typesize, size):
        self.path = os.path.join(folder, name)
        self.scratch = os.path.join(folder, "plain")
        self.typesize, self.size = typesize, size
        self.chunks, self.vlmeta = [], {}

    def plain(self, rng, length=None):
        """Returns data for a chunk: random, counting or zeros."""
        length = length or self.size
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randbytes(length)
        if kind == 1:
            return bytes(length)
        start = rng.randrange(1 << 20)
        return numpy.arange(start, start + length // 4 + 1, dtype="<u4").tobytes()[:length]

    def ours(self, lines):
        """Runs frame_edit. Data among the words is passed in files named `@n`."""
        text = []
        for number, line in enumerate(lines):
            words = list(line)
            if isinstance(words[-1], bytes):
                name = f"{self.scratch}{number}"
                with open(name, "wb") as file:
                    file.write(words[-1])
                words[-1] = name
            text.append(" ".join(map(str, words)))
        done = subprocess.run([FRAME_EDIT, self.path], input="\n".join(text).encode(), capture_output=True, timeout=300)
        return tally.check(done.returncode == 0, f"frame_edit {self.path}", f"{text} {done.stderr!r}")

    def edit_ours(self, rng):
        """Makes a few edits with frame_edit, committed one by one or together."""
        lines = []
        for _ in range(rng.randint(1, 5)):
            count, plain = len(self.chunks), self.plain(rng)
            kind = rng.randrange(8)
            if kind <= 1 or not count:
                lines.append(("append", plain))
                self.chunks.append(plain)
            elif kind == 2:
                at = rng.randrange(count + 1)
                lines.append(("insert", at, plain))
                self.chunks.insert(at, plain)
            elif kind == 3:
                at = rng.randrange(count)
                lines.append(("update", at, plain))
                self.chunks[at] = plain
            elif kind == 4:
                at = rng.randrange(count)
                lines.append(("delete", at))
                del self.chunks[at]
            elif kind == 5:
                lines.append(("special", "zeros", self.size))
                self.chunks.append(bytes(self.size))
            elif kind == 6:
                order = rng.sample(range(count), count)
                lines.append(("reorder", ",".join(map(str, order))))
                self.chunks = [self.chunks[at] for at in order]
            else:
                value = rng.randbytes(rng.randint(0, 300))
                # python-blosc2 stores MessagePack values: bin 16.
                lines.append(("vlmeta", "note", b"\xc5" + len(value).to_bytes(2, "big") + value))
                self.vlmeta["note"] = value
            if rng.random() < 0.5:
                lines.append(("commit",))
        return self.ours(lines)

    def edit_theirs(self, rng):
        """Makes a few edits with C-Blosc2."""
        schunk = blosc2.open(self.path, mode="a")
        for _ in range(rng.randint(1, 4)):
            count, plain = len(self.chunks), self.plain(rng)
            kind = rng.randrange(5)
            if kind == 0 or not count:
                schunk.append_data(plain)
                self.chunks.append(plain)
            elif kind == 1:
                at = rng.randrange(count + 1)
                schunk.insert_data(at, plain, copy=True)
                self.chunks.insert(at, plain)
            elif kind == 2:
                at = rng.randrange(count)
                schunk.update_data(at, plain, copy=True)
                self.chunks[at] = plain
            elif kind == 3:
                at = rng.randrange(count)
                schunk.delete_chunk(at)
                del self.chunks[at]
            else:
                value = rng.randbytes(rng.randint(0, 300))
                schunk.vlmeta["note"] = value
                self.vlmeta["note"] = value

    def check(self, what):
        """Checks that both read the expected contents."""
        plain = b"".join(self.chunks)
        verified = blpk("verify", self.path)
        tally.check(verified.ok, f"{what}: blpk verify", verified)
        read = blpk("cat", "--bytes", "..", self.path)
        tally.check(read.ok and read.stdout == plain, f"{what}: blpk cat", read)
        info = json.loads(blpk("info", "--json", self.path).stdout or "{}")
        facts = (info.get("nchunks"), info.get("nbytes"), info.get("typesize"))
        tally.check(facts == (len(self.chunks), len(plain), self.typesize), f"{what}: blpk info", facts)
        schunk = blosc2.open(self.path, mode="r")
        found = [schunk.decompress_chunk(number) for number in range(schunk.nchunks)]
        tally.check(found == self.chunks, f"{what}: C-Blosc2")
        notes = {name: schunk.vlmeta[name] for name in schunk.vlmeta}
        tally.check(notes == self.vlmeta, f"{what}: vlmetalayers", f"{notes} {self.vlmeta}")


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def frames(folder):
    """Tests edits of both, in turn, on frames that either created."""
    cases = itertools.product(CODECS, FILTERS, [1, 4, 8, 15], ["contiguous", "sparse"], ["ours", "theirs"])
    for number, (codec, filters, typesize, kind, maker) in sampled(cases):
        rng = random.Random(number)
        frame = Frame(folder, f"frame{number}.b2frame", typesize, typesize * rng.choice([10, 500, 4000]))
        what = f"{codec} {filters} {typesize} {kind} by {maker}"
        if maker == "ours":
            first = frame.plain(rng)
            frame.ours([("create", kind, typesize, codec, rng.randint(1, 9), filters), ("append", first)])
            frame.chunks.append(first)
        else:
            pipeline = [FILTERS[filters]] if filters != "none" else [blosc2.Filter.NOFILTER]
            cparams = {"codec": CODECS[codec], "typesize": typesize, "clevel": 5, "filters": pipeline, "filters_meta": [0]}
            storage = {"urlpath": frame.path, "contiguous": kind == "contiguous", "mode": "w"}
            schunk = blosc2.SChunk(chunksize=frame.size, cparams=cparams, **storage)
            for _ in range(3):
                frame.chunks.append(frame.plain(rng))
                schunk.append_data(frame.chunks[-1])
            del schunk
        frame.check(what)
        for turn in range(3):
            if not frame.edit_ours(rng):
                break
            frame.check(f"{what}, turn {turn}, our edits")
            frame.edit_theirs(rng)
            frame.check(f"{what}, turn {turn}, their edits")
        compacted = blpk("compact", frame.path)
        tally.check(compacted.ok, f"{what}: compact", compacted)
        frame.check(f"{what}, compacted")
        remove(frame.path)


def tails(folder):
    """Tests last chunks of any length, and chunks of different sizes with special values among them.

    We write them, because C-Blosc2's own do not decompress.
    """
    for number, (typesize, rest) in sampled(itertools.product([1, 2, 4, 8], range(1, 40))):
        rng = random.Random(number)
        frame = Frame(folder, "tails.b2frame", typesize, typesize * 100)
        frame.chunks = [frame.plain(rng), frame.plain(rng), frame.plain(rng, rest)]
        create = ("create", "contiguous", typesize, "lz4", 5, "shuffle")
        frame.ours([create, *(("append", chunk) for chunk in frame.chunks)])
        frame.check(f"a last chunk of {rest}, typesize {typesize}")
        more = [bytes(typesize * 7), frame.plain(rng, typesize * 130)]
        frame.ours([("append", more[1]), ("special", "zeros", typesize * 7), ("vlmeta", "note", b"\xc5\0\1x")])
        frame.chunks += [more[1], more[0]]
        frame.vlmeta = {"note": b"x"}
        frame.check(f"sizes vary, typesize {typesize}")
        remove(frame.path)
    for special, value in [("zeros", 0.0), ("nan", numpy.nan), ("uninit", 0.0)]:
        frame = Frame(folder, "special.b2frame", 8, 8000)
        frame.ours([("create", "contiguous", 8, "zstd", 5, "shuffle"), ("special", special, 8000), ("special", special, 800)])
        schunk = blosc2.open(frame.path, mode="r")
        found = numpy.frombuffer(blpk("cat", "--bytes", "..", frame.path).stdout)
        same = numpy.array_equal(found, numpy.full(1100, value), equal_nan=True)
        tally.check(same and schunk.nchunks == 2, f"special {special}")
        if special != "uninit":
            theirs = numpy.frombuffer(schunk.decompress_chunk(0))
            tally.check(numpy.array_equal(theirs, found[:1000], equal_nan=True), f"special {special}, C-Blosc2")
        remove(frame.path)


DTYPES = ["|u1", "<i2", "<f4", "<f8", "<c16", "|S5", "<U3", "|b1", "<M8[s]", [("a", "<i4"), ("b", "<f8"), ("s", "|S3")]]
SHAPES = [((), (), ()), ((50,), (20,), (7,)), ((13, 17), (5, 6), (2, 4)), ((5, 6, 7), (5, 2, 7), (2, 2, 3)), ((0, 4), (1, 2), (1, 1))]
SHAPES += [((3, 2, 4, 2), (2, 2, 3, 1), (1, 2, 2, 1)), ((1,) * 15 + (3,), (1,) * 15 + (2,), (1,) * 16)]


def some_array(rng, shape, dtype):
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    if dtype.names or dtype.kind in "SUM":
        items = numpy.zeros(count, dtype)
        numbers = numpy.array([rng.randrange(100) for _ in range(count)], dtype="i4")
        for name in dtype.names or [None]:
            target = items if name is None else items[name]
            target[...] = numbers.astype(target.dtype)
        return items.reshape(shape)
    return numpy.array([rng.randrange(100) for _ in range(count)]).astype(dtype).reshape(shape)


def some_slice(rng, shape):
    ranges = [sorted((rng.randint(0, length), rng.randint(0, length))) for length in shape]
    return tuple(slice(*pair) for pair in ranges)


def arrays(folder):
    """Tests arrays of both: read, partly overwritten, resized, converted."""
    cases = itertools.product(DTYPES, SHAPES, ["contiguous", "sparse"], ["ours", "theirs"])
    for number, (dtype, (shape, chunks, blocks), kind, maker) in sampled(cases):
        if kind == "sparse" and maker == "ours":
            continue  # blpk convert makes contiguous ones
        rng = random.Random(number)
        array = some_array(rng, shape, dtype)
        what = f"{dtype} {shape} {kind} by {maker}"
        path, npy = os.path.join(folder, f"array{number}.b2nd"), os.path.join(folder, "array.npy")
        if maker == "ours":
            numpy.save(npy, numpy.asfortranarray(array) if number % 3 == 0 and shape else array)
            cut = ["--chunkshape", ",".join(map(str, chunks)), "--blockshape", ",".join(map(str, blocks))] if shape else []
            made = blpk("convert", *cut, "-c", rng.choice(list(CODECS)), npy, path)
            if not tally.check(made.ok, f"{what}: blpk convert", made):
                continue
        else:
            blosc2.asarray(array, chunks=chunks, blocks=blocks, urlpath=path, contiguous=kind == "contiguous", mode="w")
        check_array(path, array, what)
        frame = Frame(folder, os.path.basename(path), array.itemsize, 0)
        grow = 5 if len(shape) < 5 else 0
        for turn in range(2):
            if array.size:
                part = some_slice(rng, array.shape)
                items = some_array(rng, array[part].shape, dtype)
                array[part] = items
                text = ",".join(f"{axis.start}:{axis.stop}" for axis in part)
                frame.ours([("slice", text, items.tobytes())])
                check_array(path, array, f"{what}, turn {turn}, our slice")
                part = some_slice(rng, array.shape)
                items = some_array(rng, array[part].shape, dtype)
                if items.size and shape:  # python-blosc2 does not assign to an array of no axes and any dtype
                    array[part] = items
                    opened = blosc2.open(path, mode="a")
                    opened[part] = items
                    del opened
                    check_array(path, array, f"{what}, turn {turn}, their slice")
            if shape and 0 not in shape:
                new = tuple(max(1, length + rng.randint(-3, grow)) for length in array.shape)
                array = resized(array, new)
                frame.ours([("resize", ",".join(map(str, new)))])
                check_array(path, array, f"{what}, turn {turn}, our resize to {new}")
                new = tuple(length + rng.randint(0, grow) for length in array.shape)
                array = resized(array, new)
                opened = blosc2.open(path, mode="a")
                opened.resize(new)
                del opened
                check_array(path, array, f"{what}, turn {turn}, their resize to {new}")
        remove(path)


def resized(array, shape):
    new = numpy.zeros(shape, array.dtype)
    common = tuple(slice(0, min(pair)) for pair in zip(array.shape, shape))
    new[common] = array[common]
    return new


def check_array(path, array, what):
    opened = blosc2.open(path, mode="r")
    found = opened[()] if array.shape == () else opened[:]
    same = opened.shape == array.shape and opened.dtype == array.dtype and numpy.array_equal(found, array)
    tally.check(same, f"{what}: C-Blosc2", f"{opened.shape} {opened.dtype}")
    ours = blpk("d", path, "-")
    tally.check(ours.ok and ours.stdout == array.tobytes(), f"{what}: blpk decompress", ours)
    verified = blpk("verify", path)
    tally.check(verified.ok, f"{what}: blpk verify", verified)
    info = json.loads(blpk("info", "--json", path).stdout or "{}")
    tally.check(info.get("format") == "b2nd" and tuple(info["shape"]) == array.shape, f"{what}: blpk info", info)
    npy = os.path.join(os.path.dirname(path), "back.npy")
    back = blpk("convert", "-f", path, npy)
    same = back.ok and numpy.array_equal(numpy.load(npy), array) and numpy.load(npy).dtype == array.dtype
    tally.check(same, f"{what}: blpk convert to .npy", back)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        frames(folder)
        tails(folder)
        arrays(folder)
    tally.finish()
