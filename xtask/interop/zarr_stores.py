"""Stores of zarr-python, read by `blpk`.

Random arrays: dtypes, codecs, orders, shards, keys, fill values and missing chunks, in versions 2 and 3, in directories
and zip archives. `blpk convert`, `decompress`, `cat` with random slices, and `verify` must give the items that
zarr-python reads.
"""

import io
import os
import random
import warnings

import numcodecs
import numpy
import zarr
from zarr.codecs import (
    BloscCodec,
    BytesCodec,
    Crc32cCodec,
    GzipCodec,
    ShardingCodec,
    TransposeCodec,
    ZstdCodec,
)

from _common import Tally, blpk, in_parallel, sampled, work_folder
from slices import expected, slice_of

warnings.simplefilter("ignore")

DTYPES = ["b1", "i1", "u1", "<i2", ">i2", "<i4", ">u4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8",
          ">c16", "S5", "S1", "<U3", ">U2", "V5", "<M8[ns]", ">M8[10s]", "<m8[us]", "<M8[D]",
          [("a", "<i4"), ("b", "<f8")], [("a", "u1"), ("b", "S3"), ("c", "<f4")]]
CASES = 700


def v2_compressor(rng):
    cname = rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"])
    shuffle = rng.choice([-1, 0, 1, 2])
    return rng.choice([
        None,
        numcodecs.Zlib(rng.randint(0, 9)),
        numcodecs.GZip(rng.randint(0, 9)),
        numcodecs.Zstd(rng.randint(-5, 22), checksum=rng.random() < 0.5),
        numcodecs.Blosc(cname, rng.randint(0, 9), shuffle, rng.choice([0, 0, 256, 4096])),
        numcodecs.Blosc(cname, rng.randint(1, 9), shuffle),
    ])


def v3_compressors(rng, dtype):
    def one():
        return rng.choice([
            GzipCodec(level=rng.randint(0, 9)),
            ZstdCodec(level=rng.randint(-3, 19), checksum=rng.random() < 0.5),
            BloscCodec(typesize=max(1, min(dtype.itemsize, 255)), cname=rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]),
                       clevel=rng.randint(0, 9), shuffle=rng.choice(["noshuffle", "shuffle", "bitshuffle"])),
        ])
    chain = [one()] if rng.random() < 0.8 else []
    if rng.random() < 0.2:
        chain.append(Crc32cCodec())
    return chain


def items(rng, dtype, shape):
    """Returns an array of any values of the dtype."""
    count = int(numpy.prod(shape, dtype=int))
    random_bytes = numpy.random.default_rng(rng.randrange(1 << 30))
    # Few different bytes compress; NULs are common in text.
    low = random_bytes.integers(0, rng.choice([2, 3, 100, 256]), count * dtype.itemsize, "u1")
    if dtype.kind == "b":
        low %= 2
    if dtype.kind == "U":
        low = (low.reshape(-1, 4) * numpy.array([1, 0, 0, 0] if dtype.byteorder != ">" else [0, 0, 0, 1], "u1")).ravel()
    return low.astype("u1").view(dtype).reshape(shape)


def create(path, rng):
    """Writes a store. Returns the path of the array in it, and its options."""
    version = rng.choice([2, 3])
    dtype = numpy.dtype(rng.choice(DTYPES))
    ndim = rng.randint(0, 4)
    shape = tuple(rng.randint(0 if rng.random() < 0.05 else 1, 25) for _ in range(ndim))
    chunks = tuple(rng.randint(1, max(1, length) + (3 if rng.random() < 0.1 else 0)) for length in shape)
    made = items(rng, dtype, shape)
    options = {"dtype": dtype, "shape": shape, "chunks": chunks, "zarr_format": version}
    fill = items(rng, dtype, (1,))[0]
    if rng.random() < 0.5 and dtype.kind not in "SU":
        options["fill_value"] = fill
    separator = rng.choice("./")
    if version == 2:
        options |= {"compressors": v2_compressor(rng), "order": rng.choice("CF")}
        options["chunk_key_encoding"] = {"name": "v2", "separator": separator}
    else:
        order = list(range(ndim))
        rng.shuffle(order)
        filters = [TransposeCodec(order=tuple(order))] if ndim and rng.random() < 0.4 else []
        big = dtype.kind in "iufcMmU" and dtype.itemsize > 1 and rng.random() < 0.3
        # Of a structure or bytes, the byte order is not stored.
        has_order = dtype.kind in "iufcMmU"
        serializer = BytesCodec(endian="big" if big else "little") if has_order else BytesCodec(endian=None)
        compressors = v3_compressors(rng, dtype)
        options["chunk_key_encoding"] = {"name": rng.choice(["default", "v2"]), "separator": separator}
        # zarr-python cannot hash the fill value of structures in shards.
        if ndim and dtype.kind != "V" and rng.random() < 0.4:
            inner = tuple(rng.choice([n for n in range(1, length + 1) if length % n == 0]) for length in chunks)
            shard = ShardingCodec(chunk_shape=inner, codecs=[*filters, serializer, *compressors],
                                  index_location=rng.choice(["start", "end"]))
            options |= {"serializer": shard, "compressors": [], "filters": []}
        else:
            options |= {"serializer": serializer, "compressors": compressors, "filters": filters}
    is_zip, member = rng.random() < 0.25, "a/b" if rng.random() < 0.3 else ""
    method = rng.choice([0, 8])
    store = zarr.storage.ZipStore(path, mode="w", compression=method) if is_zip else zarr.storage.LocalStore(path)
    if member:
        group = zarr.open_group(store, mode="w", zarr_format=version)
        array = group.create_array(member, **{key: value for key, value in options.items() if key != "zarr_format"})
    else:
        array = zarr.create_array(store, **options)
    if made.size and rng.random() < 0.8:
        # Only a part is written, so other chunks are missing.
        part = tuple(slice(None) if rng.random() < 0.6 else slice(0, rng.randint(1, length)) for length in shape)
        array[part or ...] = made[part or ...]
    if is_zip:
        store.close()
    shown = {key: str(value) for key, value in options.items() if key not in ("shape", "chunks")}
    return member, f"{'zip ' if is_zip else ''}{shape} in {chunks} {shown}"


def read(path, member):
    """Returns the array as zarr-python reads it."""
    store = zarr.storage.ZipStore(path, mode="r") if os.path.isfile(path) else zarr.storage.LocalStore(path, read_only=True)
    array = zarr.open_array(store, path=member or None, mode="r")
    # A scalar, which is read from an array without axes, has lost its dtype.
    return numpy.asarray(array[...]).astype(array.dtype)


def job(folder, number):
    rng = random.Random(number)
    path = os.path.join(folder, f"{number}.zarr")
    member, what = create(path, rng)
    wanted = read(path, member)
    return path, member, wanted, slice_of(rng, wanted.shape), f"#{number} {what}"


def ours(work):
    path, member, _, text, _ = work
    column = ["--column", member] if member else []
    converted = blpk("convert", *column, path, f"{path}.npy")
    plain = blpk("decompress", *column, path, f"{path}.bin")
    cat = blpk("cat", *column, f"--slice={text}", "--format", "npy", path)
    return converted, plain, cat, blpk("verify", path), blpk("info", "--json", path)


def same(found, wanted):
    """Compares items bit by bit, whatever their byte order."""
    native = lambda array: array.astype(array.dtype.newbyteorder("="))  # noqa: E731
    if found.dtype.newbyteorder("=") != wanted.dtype.newbyteorder("=") or found.shape != wanted.shape:
        return False
    return numpy.ascontiguousarray(native(found)).tobytes() == numpy.ascontiguousarray(native(wanted)).tobytes()


def main():
    tally = Tally()
    with work_folder() as folder:
        work = [job(folder, number) for number, _ in sampled(range(CASES))]
        for (path, member, wanted, text, what), runs in zip(work, in_parallel(ours, work)):
            converted, plain, cat, verified, info = runs
            tally.check(verified.ok and info.ok, f"verify {what}", verified if info.ok else info)
            if not (converted.ok and plain.ok):
                tally.check(False, f"convert {what}", plain if converted.ok else converted)
                continue
            found = numpy.load(f"{path}.npy")
            tally.check(same(found, wanted), f"convert {what}", f"{found.dtype} {found.shape}")
            with open(f"{path}.bin", "rb") as file:
                tally.check(file.read() == found.tobytes(), f"decompress {what}", "other bytes")
            selected = expected(wanted, text)
            if selected is None:
                tally.check(cat.code == 1 and "out of bounds" in str(cat.stderr), f"cat {what} [{text}]", cat)
            elif cat.ok:
                found = numpy.load(io.BytesIO(cat.stdout))
                tally.check(same(found, selected), f"cat {what} [{text}]", f"{found.dtype} {found.shape}")
            else:
                tally.check(False, f"cat {what} [{text}]", cat)
    tally.finish()


if __name__ == "__main__":
    main()
