"""Writes zarr.tar.gz: stores of zarr-python, and what NumPy has in them.

    python zarr_stores.py          # zarr 3.1.6, numcodecs 0.16.6, numpy 2.4.6

Each store is a directory or a zip archive. The manifest has the shape, dtype and digest of each array as zarr-python
reads it back.
"""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path

import numcodecs
import numpy as np
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

warnings.simplefilter("ignore")
MANIFEST = []
ROOT = Path(tempfile.mkdtemp())
DTYPES = ["|b1", "|i1", "|u1", "<i2", ">i2", "<i4", ">i4", "<i8", ">u4", "<u8", "<f2", ">f2", "<f4", ">f4", "<f8",
          ">f8", "<c8", ">c16", "|S5", "<U3", ">U3", "|V5", "<M8[ns]", ">M8[10s]", "<m8[us]", "<M8[D]"]
STRUCT = [("a", "<i4"), ("b", "<f8"), ("n", [("x", "<f4"), ("y", "|S3")])]


def items(shape, dtype, seed=1):
    """Returns an array that compresses, but whose items differ."""
    dtype, count = np.dtype(dtype), int(np.prod(shape, dtype=int))
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return (rng.integers(0, 3, shape) == 0).astype(dtype)
    if dtype.kind in "iufc":
        return np.asarray(rng.integers(0, 100, shape) + np.arange(count).reshape(shape)).astype(dtype)
    if dtype.kind in "Mm":
        return rng.integers(-1000, 1 << 40, shape).astype(dtype.byteorder.replace("|", "<") + "i8").view(dtype)
    if dtype.kind == "S":
        return np.array([f"{n % 1000}".encode() for n in range(count)], dtype).reshape(shape)
    if dtype.kind == "U":
        return np.array([f"{n % 97}é" for n in range(count)], dtype).reshape(shape)
    return np.frombuffer(rng.integers(0, 4, count * dtype.itemsize, "u1").tobytes(), dtype).reshape(shape)


def describe(dtype):
    return dtype.str if dtype.names is None else str(dtype.descr)


def record(name, array, member=None, **more):
    data = np.asarray(array[...])
    # zarr-python returns a scalar of the native byte order for arrays without axes.
    data = data.astype(array.dtype) if data.ndim == 0 else data
    # The byte order in which items are stored, which zarr-python does not tell for version 3.
    data = data.astype(more.pop("stored", data.dtype))
    MANIFEST.append({
        "name": name,
        "member": member,
        "version": array.metadata.zarr_format,
        "shape": list(array.shape),
        "chunks": list(array.chunks),
        "dtype": describe(data.dtype),
        "sha256": hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest(),
        "attributes": dict(array.attrs),
        **more,
    })


def create(name, data, keep=slice(None), **options):
    """Writes an array to a directory. `keep` selects the items to write; the others have the fill value."""
    path = ROOT / name
    options = {"chunks": tuple(max(1, -(-n // 3)) for n in data.shape), **options}
    array = zarr.create_array(store=str(path), shape=data.shape, dtype=data.dtype, **options)
    if data.size:
        keep = keep if data.ndim else ...
        array[keep] = data[keep]
    try:
        return zarr.open_array(str(path), mode="r")
    except ValueError:
        # zarr-python writes nested structures in version 2, but does not read them.
        return array


def arrays():
    for version in (2, 3):
        for dtype in [*DTYPES, STRUCT]:
            code = "struct" if isinstance(dtype, list) else dtype.translate(str.maketrans("<>|[]", "lbn__"))
            record(f"v{version}/dtype/{code}", create(f"v{version}/dtype/{code}", items((7, 5), dtype), zarr_format=version))
        for ndim in range(5):
            shape = (5, 4, 3, 7)[:ndim]
            record(f"v{version}/ndim/{ndim}", create(f"v{version}/ndim/{ndim}", items(shape, "<i4"), zarr_format=version))
        record(f"v{version}/empty", create(f"v{version}/empty", items((0, 5), "<i4"), zarr_format=version, chunks=(2, 2)))
        fills = [("<f4", np.nan), ("<i2", -7), ("<c8", complex(1, np.nan)), ("|S5", b"ab"), ("<U3", "é"),
                 ("|b1", True), ("<M8[s]", np.datetime64("NaT")), ("<u8", 2**64 - 1), (">f8", 0.1), ("|V5", np.void(b"abcde"))]
        for number, (dtype, fill) in enumerate(fills):
            made = create(f"v{version}/fill/{number}", items((9, 8), dtype), np.s_[:3, 4:], zarr_format=version,
                          chunks=(3, 4), fill_value=fill, attributes={"n": number, "é": [1.5, None, "x"]})
            record(f"v{version}/fill/{number}", made)
    for separator in "./":
        keys = {"name": "v2", "separator": separator}
        name = "dot" if separator == "." else "slash"
        for version in (2, 3):
            made = create(f"v{version}/keys/v2{name}", items((5, 4), "<i4"), zarr_format=version, chunk_key_encoding=keys)
            record(f"v{version}/keys/v2{name}", made)
        keys = {"name": "default", "separator": separator}
        record(f"v3/keys/{name}", create(f"v3/keys/{name}", items((5, 4), "<i4"), zarr_format=3, chunk_key_encoding=keys))
    compressors = {f"blosc_{c}_{s}": numcodecs.Blosc(c, 5, s)
                   for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for s in (0, 1, 2)}
    compressors |= {"none": None, "zlib": numcodecs.Zlib(4), "gzip": numcodecs.GZip(4), "zstd": numcodecs.Zstd(3),
                    "zstd_checksum": numcodecs.Zstd(3, checksum=True)}
    for name, compressor in compressors.items():
        for order in "CF":
            made = create(f"v2/codec/{name}_{order}", items((40, 30), "<i4"), zarr_format=2, compressors=compressor,
                          order=order, chunks=(16, 13))
            record(f"v2/codec/{name}_{order}", made)
    chains = {
        "none": [], "gzip": [GzipCodec(level=4)], "zstd": [ZstdCodec(level=3)], "zstd_checksum": [ZstdCodec(checksum=True)],
        "crc": [Crc32cCodec()], "gzip_crc": [GzipCodec(), Crc32cCodec()], "crc_zstd": [Crc32cCodec(), ZstdCodec()],
        "blosc_gzip": [BloscCodec(cname="lz4"), GzipCodec()],
    }
    chains |= {f"blosc_{c}": [BloscCodec(cname=c, shuffle="bitshuffle")] for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")}
    for name, chain in chains.items():
        made = create(f"v3/codec/{name}", items((40, 30), "<i4"), zarr_format=3, compressors=chain, chunks=(16, 13))
        record(f"v3/codec/{name}", made)
    for number, order in enumerate([(2, 1, 0), (1, 2, 0), (0, 2, 1)]):
        made = create(f"v3/transpose/{number}", items((7, 6, 5), "<i2"), zarr_format=3,
                      filters=[TransposeCodec(order=order)], chunks=(3, 4, 2))
        record(f"v3/transpose/{number}", made)
    made = create("v3/big", items((7, 6), ">i4"), zarr_format=3, serializer=BytesCodec(endian="big"))
    record("v3/big", made, stored=">i4")
    number = 0
    for location in ("start", "end"):
        for chain in ([], [ZstdCodec()], [BloscCodec(cname="lz4")]):
            for filters in ([], [TransposeCodec(order=(1, 0))]):
                inner = [*filters, BytesCodec(), *chain]
                codec = ShardingCodec(chunk_shape=(4, 3), codecs=inner, index_location=location)
                made = create(f"v3/shard/{number}", items((21, 20), "<i4"), np.s_[:12, 3:17], zarr_format=3, chunks=(8, 9),
                              serializer=codec, compressors=[], filters=[], fill_value=-1)
                record(f"v3/shard/{number}", made, chunks=[4, 3], shards=[8, 9])
                number += 1
    large = items((300, 200), "<f8")
    record("v2/large", create("v2/large", large, zarr_format=2, chunks=(300, 200), compressors=numcodecs.Blosc("lz4", 5, 1, 4096)))


def groups():
    for version in (2, 3):
        for consolidated in (False, True):
            name = f"v{version}/group/{'consolidated' if consolidated else 'plain'}"
            group = zarr.open_group(str(ROOT / name), mode="w", zarr_format=version, attributes={"title": "t"})
            for path in ("a", "deep/er/b"):
                made = group.create_array(path, shape=(4, 3), chunks=(2, 2), dtype="<i4")
                made[...] = items((4, 3), "<i4", len(path))
                record(name, made, path)
            group.require_group("deep/none")
            if consolidated:
                zarr.consolidate_metadata(str(ROOT / name), zarr_format=version)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name = f"v{version}/zip/{'stored' if method == zipfile.ZIP_STORED else 'deflated'}.zip"
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            store = zarr.storage.ZipStore(ROOT / name, mode="w", compression=method)
            group = zarr.open_group(store, mode="w", zarr_format=version)
            made = group.create_array("x/y", shape=(9, 8), chunks=(4, 4), dtype="<f4")
            made[...] = items((9, 8), "<f4")
            record(name, made, "x/y")
            store.close()
            name = name.replace(".zip", "_array.zip")
            store = zarr.storage.ZipStore(ROOT / name, mode="w", compression=method)
            made = zarr.create_array(store, shape=(9, 8), chunks=(4, 4), dtype="<f4", zarr_format=version)
            made[...] = items((9, 8), "<f4")
            record(name, made)
            store.close()


def refused():
    for name, options, word in [
        ("filter", {"zarr_format": 2, "filters": [numcodecs.Delta("<i4")]}, "delta"),
        ("lzma", {"zarr_format": 2, "compressors": numcodecs.LZMA()}, "lzma"),
        ("lz4", {"zarr_format": 2, "compressors": numcodecs.LZ4()}, "lz4"),
    ]:
        create(f"refused/{name}", items((5, 4), "<i4"), **options)
        MANIFEST.append({"name": f"refused/{name}", "refused": word})
    for version, word in ((2, "object"), (3, "string")):
        array = zarr.create_array(str(ROOT / f"refused/text{version}"), shape=(3,), dtype=str, zarr_format=version)
        array[:] = np.array(["a", "bc", "d"], dtype=object)
        MANIFEST.append({"name": f"refused/text{version}", "refused": word})


def main():
    arrays()
    groups()
    refused()
    (ROOT / "manifest.json").write_text(json.dumps({"stores": MANIFEST}, indent=0))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in sorted(path for path in ROOT.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(str(path.relative_to(ROOT)))
            info.size = path.stat().st_size
            archive.addfile(info, io.BytesIO(path.read_bytes()))
    target = Path(__file__).with_name("zarr.tar.gz")
    target.write_bytes(gzip.compress(buffer.getvalue(), 9, mtime=0))
    shutil.rmtree(ROOT)
    print(len(MANIFEST), "arrays,", target.stat().st_size, "bytes")


main()
