"""Zarr arrays and groups that `blpk convert` writes, read by zarr-python and, chunk by chunk, by numcodecs."""

import itertools
import json
import os
import random
import sys
import warnings

# Keeps bcolz.py in this folder from shadowing the library.
HERE = sys.path.pop(0)
import bcolz  # noqa: E402

sys.path.insert(0, HERE)

import numcodecs
import numpy
import zarr
from _common import BLPK, Tally, blpk, sampled, work_folder

DTYPES = ["?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16", ">i4", ">f8"]
DTYPES += ["S5", "<U3", ">U2", "V7", "<M8[ns]", "<m8[25s]", ">M8[D]", [("a", "<i2"), ("b", "<f8")], [("a", "S3")]]
SWAPPED = [("a", ">i2"), ("b", "<f8")], [("a", ">i4")]
SHAPES = [(0,), (1,), (1000,), (77, 30), (40, 2, 5), (0, 3), ()]
CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
FILTERS = ["none", "shuffle", "bitshuffle"]
warnings.simplefilter("ignore")
tally = Tally()


def some_items(rng, dtype, shape):
    """Returns random items, with runs of zeros, so that some chunks are empty."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    if dtype.kind in "SU":
        items = numpy.array(["".join(rng.choice("abc") for _ in range(rng.randint(0, 3))) for _ in range(count)], dtype)
    elif dtype.kind == "b":
        items = numpy.array([rng.random() < 0.5 for _ in range(count)], dtype)
    else:
        items = numpy.frombuffer(rng.randbytes(count * dtype.itemsize), dtype).copy()
    items[count // 3 : 2 * count // 3] = numpy.zeros((), dtype)
    return items.reshape(shape)


def same(found, items):
    """Compares bytes: NaNs count too. The byte order of a data type of version 3 is that of the codec."""
    if items.shape == () and items.dtype.kind in "SU":
        # NumPy has no scalar of a fixed length.
        return found == items[()]
    found = numpy.asarray(found)
    wanted = items.astype(items.dtype.newbyteorder("=")) if found.dtype != items.dtype else items
    return found.shape == items.shape and found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


def chunks_of(folder, version, items):
    """Decodes the chunk files with numcodecs, and assembles the array."""
    if version == 2:
        meta = json.load(open(os.path.join(folder, ".zarray")))
        chunks, separator, prefix = meta["chunks"], meta["dimension_separator"], ""
        assert meta["compressor"]["id"] == "blosc", meta
    else:
        meta = json.load(open(os.path.join(folder, "zarr.json")))
        chunks, separator, prefix = meta["chunk_grid"]["configuration"]["chunk_shape"], "/", "c"
    found = numpy.zeros(items.shape, items.dtype)
    stored = 0
    for position in itertools.product(*(range(-(-n // c)) for n, c in zip(items.shape, chunks))):
        numbers = [prefix] * bool(prefix) + [str(number) for number in position]
        path = os.path.join(folder, separator.join(numbers) or "0")
        if not os.path.isfile(path):
            continue
        stored += 1
        plain = numcodecs.Blosc().decode(open(path, "rb").read())
        chunk = numpy.frombuffer(plain, items.dtype).reshape(chunks)
        at = tuple(slice(p * c, min((p + 1) * c, n)) for p, c, n in zip(position, chunks, items.shape))
        found[at] = chunk[tuple(slice(0, s.stop - s.start) for s in at)]
        padding = numpy.ones(chunks, bool)
        padding[tuple(slice(0, s.stop - s.start) for s in at)] = False
        assert not numpy.frombuffer(plain, numpy.uint8).reshape(*chunks, -1)[padding].any(), "padding is not zero"
    return found, chunks, stored


def check(folder, version, items, what):
    """Reads an array with zarr-python and with numcodecs."""
    try:
        array = zarr.open(folder, mode="r", zarr_format=version)
        tally.check(same(array[...], items), f"{what}: zarr", f"{array.dtype} {array.shape}")
        found, chunks, _ = chunks_of(folder, version, items)
        tally.check(found.tobytes() == items.tobytes() and tuple(chunks) == array.chunks, f"{what}: numcodecs")
        return array
    except Exception as error:
        tally.check(False, what, f"{type(error).__name__}: {error}")
        return None


def arrays(folder):
    """Arrays of each dtype and shape, by way of each container."""
    cases = list(itertools.product(DTYPES, SHAPES, ["npy", "blp", "b2nd", "bcolz"], [2, 3]))
    for number, (dtype, shape, between, version) in sampled(cases):
        rng = random.Random(number)
        items = some_items(rng, dtype, shape)
        what = f"{number}: {numpy.dtype(dtype)} {shape} by way of {between}, version {version}"
        at = lambda name: os.path.join(folder, f"{number}.{name}")
        numpy.save(at("npy"), items.copy(order="F") if number % 3 == 0 else items)
        source = at("npy")
        if between == "bcolz" and (shape == () or numpy.dtype(dtype).names):
            continue
        if between != "npy":
            source = at(f"between.{between}")
            options = {"blp": ["-z", "4000"], "b2nd": [], "bcolz": ["--chunkshape", str(rng.choice([7, 300]))]}[between]
            codec = ["-c", rng.choice(CODECS), "--filter", rng.choice(FILTERS)]
            made = blpk("convert", *options, *codec, at("npy"), source)
            if not tally.check(made.ok, f"{what}: to {between}", made):
                continue
        options = []
        if number % 4 == 1 and shape:
            options = ["--chunkshape", ",".join(str(rng.randint(1, max(1, n))) for n in shape)]
        if number % 5 == 2:
            options += ["--recompress"]
        if number % 5 == 3:
            options += ["-c", rng.choice(CODECS), "-l", rng.randint(1, 9), "--filter", rng.choice(FILTERS)]
        done = blpk("convert", "--zarr-format", version, *options, source, at("zarr"))
        if tally.check(done.ok, f"{what} {options}", done):
            check(at("zarr"), version, items, f"{what} {options}")


def swapped_fields(folder):
    """zarr-python reads structures of version 3 as little-endian, so others are refused."""
    for number, (dtype, version) in enumerate(itertools.product(SWAPPED, [2, 3])):
        items = some_items(random.Random(number), dtype, (100,))
        at = lambda name: os.path.join(folder, f"swapped{number}.{name}")
        numpy.save(at("npy"), items)
        done = blpk("convert", "--zarr-format", version, at("npy"), at("zarr"))
        if version == 2:
            tally.check(done.ok, f"{dtype}", done)
            check(at("zarr"), version, items, f"{dtype}")
        else:
            tally.check(not done.ok and not os.path.exists(at("zarr")), f"{dtype} of version 3 is refused", done)


def empty_chunks(folder):
    """Chunks of zeros are left out, as by zarr-python, unless they are asked for; copied ones too."""
    items = numpy.zeros(10000, "<i4")
    items[2500:2600] = 7
    at = lambda name: os.path.join(folder, f"empty.{name}")
    numpy.save(at("npy"), items)
    for codec in CODECS:
        for name, options in [("npy", []), ("bcolz", []), ("blp", ["-z", "4000"])]:
            if name != "npy":
                assert blpk("-f", "convert", "-c", codec, *(options or ["--chunkshape", "1000"]), at("npy"), at(name)).ok
            for version in [2, 3]:
                for flag, expected in [([], 1), (["--write-empty-chunks"], 10)]:
                    done = blpk("-f", "convert", "--zarr-format", version, "--chunkshape", 1000, *flag, at(name), at("zarr"))
                    tally.check(done.ok, f"empty chunks of {name}", done)
                    _, _, stored = chunks_of(at("zarr"), version, items)
                    tally.check(stored == expected, f"empty {codec} {name} {version} {flag}", f"{stored} chunks")
                    check(at("zarr"), version, items, f"empty {name} {version}")


def tables(folder):
    """Tables become groups with consolidated metadata. The bytes of full chunks are those of the columns."""
    for number, version in itertools.product(range(6), [2, 3]):
        rng = random.Random(number)
        rows, chunklen = rng.choice([0, 1, 5000]), rng.choice([512, 1000])
        names = {"i": "<i4", "x": "<f8", "s": "S4", "b": "?", "two": "<u2"}
        columns = {name: some_items(rng, dtype, (rows, 3) if name == "two" else (rows,)) for name, dtype in names.items()}
        root, out = os.path.join(folder, f"t{number}.bcolz"), os.path.join(folder, f"t{number}.{version}.zarr")
        if version == 2:
            cparams = bcolz.cparams(clevel=rng.randint(1, 9), cname=rng.choice(CODECS), shuffle=rng.randint(0, 2))
            made = [bcolz.carray(items, chunklen=chunklen, cparams=cparams) for items in columns.values()]
            table = bcolz.ctable(made, names=list(columns), rootdir=root, cparams=cparams)
            table.attrs["unit"] = {"x": ["m", 1.5, None]}
            table["i"].attrs["_ARRAY_DIMENSIONS"] = ["time"]
            table.flush()
        done = blpk("convert", "--zarr-format", version, root, out)
        what = f"table {number}, version {version}"
        if not tally.check(done.ok, what, done):
            continue
        group = zarr.open_group(out, mode="r", zarr_format=version)
        tally.check(group.attrs.asdict() == {"unit": {"x": ["m", 1.5, None]}}, f"{what}: attributes")
        consolidated = zarr.open_consolidated(out, mode="r", zarr_format=version)
        members = consolidated.metadata.consolidated_metadata.metadata
        tally.check(sorted(members) == sorted(columns), f"{what}: consolidated", sorted(members))
        for name, items in columns.items():
            array = check(os.path.join(out, name), version, items, f"{what}: {name}")
            tally.check(same(consolidated[name][...], items), f"{what}: {name}, consolidated")
            if version == 3 and name == "i" and array is not None:
                tally.check(array.metadata.dimension_names == ("time",), f"{what}: dimension names")
            full = rows // array.chunks[0] if array is not None else 0
            for chunk in range(full):
                key = f"c/{chunk}" + "/0" * (items.ndim - 1) if version == 3 else ".".join([str(chunk)] + ["0"] * (items.ndim - 1))
                path = os.path.join(out, name, key)
                if os.path.isfile(path):
                    copied = open(path, "rb").read()
                    stored = open(os.path.join(root, name, "data", f"__{chunk}.blp"), "rb").read()
                    tally.check(copied == stored[16:], f"{what}: {name}, bytes of chunk {chunk}")


def metadata_is_true(folder):
    """The codec in the metadata is that of the copied chunks, and zarr-python can append to the array."""
    items = numpy.arange(10000, dtype="<i8")
    for codec, level, filter, version in itertools.product(CODECS, [1, 7], FILTERS, [2, 3]):
        root, out = os.path.join(folder, "m.bcolz"), os.path.join(folder, "m.zarr")
        numpy.save(os.path.join(folder, "m.npy"), items)
        made = blpk("-f", "convert", "-c", codec, "-l", level, "--filter", filter, "--chunkshape", 3000, os.path.join(folder, "m.npy"), root)
        done = blpk("-f", "convert", "--zarr-format", version, root, out)
        what = f"metadata of {codec} {level} {filter}, version {version}"
        if not tally.check(made.ok and done.ok, what, done):
            continue
        array = zarr.open_array(out, mode="r+", zarr_format=version)
        compressor = array.compressors[0]
        config = compressor.get_config() if version == 2 else compressor.to_dict()["configuration"]
        shuffle = {"none": (0, "noshuffle"), "shuffle": (1, "shuffle"), "bitshuffle": (2, "bitshuffle")}[filter]
        told = (config["cname"], config["clevel"], config["shuffle"])
        tally.check(told == (codec, level, shuffle[version - 2]), what, told)
        array.append(numpy.arange(5, dtype="<i8"))
        tally.check(numpy.array_equal(array[...], numpy.append(items, numpy.arange(5))), f"{what}: appended")


def from_zarr_python(folder):
    """Arrays of zarr-python with Blosc become carrays, bloscpack files and the other version, with the same chunks."""
    for number, (version, shape, cname, shuffle) in enumerate(itertools.product([2, 3], [(1000,), (1000, 3)], CODECS, range(3))):
        rng = random.Random(number)
        items = some_items(rng, rng.choice(["<i4", "<f8", "u1", "S4"]), shape)
        at = lambda name: os.path.join(folder, f"z{number}.{name}")
        chunks = (128, *shape[1:])
        if version == 2:
            options = {"compressors": numcodecs.Blosc(cname, rng.randint(1, 9), shuffle)}
        else:
            names = ["noshuffle", "shuffle", "bitshuffle"]
            codec = zarr.codecs.BloscCodec(cname=cname, clevel=rng.randint(1, 9), shuffle=names[shuffle])
            options = {"compressors": codec}
        array = zarr.create_array(at("in.zarr"), shape=shape, chunks=chunks, dtype=items.dtype, zarr_format=version, **options)
        array[...] = items
        array.attrs["unit"] = "m"
        what = f"zarr-python's version {version}, {shape}, {cname}, {shuffle}"
        key = lambda chunk, version: f"c/{chunk}" + "/0" * (len(shape) - 1) if version == 3 else ".".join([str(chunk)] + ["0"] * (len(shape) - 1))
        stored = lambda name: open(os.path.join(at("in.zarr"), name), "rb").read() if os.path.exists(os.path.join(at("in.zarr"), name)) else None
        for output in ["bcolz", "blp", "zarr"]:
            done = blpk("convert", *(["--zarr-format", 5 - version] if output == "zarr" else []), at("in.zarr"), at(output))
            if not tally.check(done.ok, f"{what} to {output}", done):
                continue
        found = bcolz.carray(rootdir=at("bcolz"), mode="r")
        tally.check(same(found[:], items), f"{what}: bcolz reads it")
        tally.check(found.attrs["unit"] == "m", f"{what}: attributes")
        check(at("zarr"), 5 - version, items, f"{what}: back")
        blpk("-f", "convert", at("blp"), at("npy"))
        tally.check(same(numpy.load(at("npy")), items), f"{what}: bloscpack file")
        for chunk in range(shape[0] // 128):
            old = stored(key(chunk, version))
            if old is not None:
                new = open(os.path.join(at("bcolz"), "data", f"__{chunk}.blp"), "rb").read()[16:]
                tally.check(new == old, f"{what}: bytes of chunk {chunk}")
                tally.check(open(os.path.join(at("zarr"), key(chunk, 5 - version)), "rb").read() == old, f"{what}: bytes of chunk {chunk}, Zarr")
                tally.check(old in open(at("blp"), "rb").read(), f"{what}: bytes of chunk {chunk}, bloscpack")


print(f"zarr {zarr.__version__}, numcodecs {numcodecs.__version__}, {BLPK}")
with work_folder() as folder:
    arrays(folder)
    swapped_fields(folder)
    empty_chunks(folder)
    tables(folder)
    metadata_is_true(folder)
    from_zarr_python(folder)
tally.finish()
