"""Data, arguments and helpers of the tests of the package bloscpack."""

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

bp = pytest.importorskip("bloscpack")
if not hasattr(bp, "BloscpackFile"):
    pytest.skip("bloscpack is the original", allow_module_level=True)

from bloscpack import exceptions, file_io, headers  # noqa: E402
from bloscpack.args import calculate_nchunks  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
#: Exceptions that damaged files may raise.
ERRORS = (ValueError, RuntimeError, IndexError, EOFError, exceptions.ChunkingException)
DATA = np.linspace(0, 1, 60_000).tobytes()
PACKED = bp.pack_bytes_to_bytes(DATA[:9000], 2000, {"a": list(range(50))})
PACKED_ARRAY = bp.pack_ndarray_to_bytes(np.arange(1000), 2000)


def golden():
    """Files of the original by name, and their descriptions."""
    with tarfile.open(ROOT / "testdata" / "bloscpack.tar.gz") as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        files = {member.name.removeprefix("./"): tar.extractfile(member).read() for member in members}
    return files, json.loads(files["manifest.json"])


def unpack_by_source(packed):
    """Unpack through the sources and sinks in Python."""
    plain = io.BytesIO()
    source = file_io.CompressedFPSource(io.BytesIO(packed))
    file_io.unpack(source, file_io.PlainFPSink(plain))
    return plain.getvalue(), source.metadata


def pack_by_sink(data, chunk_size="1M", metadata=None, **arguments):
    packed = io.BytesIO()
    source, sink = file_io.PlainFPSource(io.BytesIO(data)), file_io.CompressedFPSink(packed)
    file_io.pack(source, sink, *calculate_nchunks(len(data), chunk_size), metadata=metadata, **arguments)
    return packed.getvalue()


def without_metadata(packed):
    """Return a file without its metadata section: zlib of different makers compresses differently."""
    fp = io.BytesIO(packed)
    header = fp.read(32)
    if headers.BloscpackHeader.decode(header).metadata:
        file_io._read_metadata(fp)
    return header + fp.read()


BLOSC_ARGS = st.builds(
    bp.BloscArgs,
    typesize=st.sampled_from([1, 2, 4, 7, 8, 16, 255]),
    clevel=st.integers(0, 9),
    shuffle=st.sampled_from([0, 1, 2, True, False]),
    cname=st.sampled_from(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]),
)
BLOSCPACK_ARGS = st.builds(
    bp.BloscpackArgs,
    offsets=st.booleans(),
    checksum=st.sampled_from([None, "None", "adler32", "crc32", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]),
    max_app_chunks=st.one_of(st.integers(0, 50), st.just(lambda n: 2 * n)),
)
METADATA_ARGS = st.builds(
    bp.MetadataArgs,
    meta_checksum=st.sampled_from(["None", "adler32", "md5", "sha512"]),
    meta_codec=st.sampled_from(["None", "zlib"]),
    meta_level=st.integers(0, 9),
    max_meta_size=st.one_of(st.just(20_000), st.just(lambda n: n + 3)),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
PLAIN = st.one_of(
    st.binary(max_size=5000), st.integers(0, 50_000).map(lambda n: DATA[:n]), st.integers(0, 50_000).map(bytes)
)
ARGUMENTS = st.fixed_dictionaries(
    {
        "chunk_size": st.one_of(st.integers(500, 60_000), st.sampled_from(["1K", "1M"])),
        "metadata": JSON,
        "blosc_args": BLOSC_ARGS,
        "bloscpack_args": BLOSCPACK_ARGS,
        "metadata_args": METADATA_ARGS,
    }
)
SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)

DTYPES = ["<f8", ">i4", "<u2", "?", "S3", "<U5", "<c16", "<M8[us]", "<m8", "V7", "<f2"]
DTYPES += [[("a", "<i4"), ("b", "S3", (2,))], [("p", [("x", "<f4"), ("t", "<M8[s]")]), ("q", "u1")]]


def make_array(dtype, shape, order, seed=0):
    dtype = np.dtype(dtype)
    raw = np.random.default_rng(seed).integers(1, 5, int(np.prod(shape)) * dtype.itemsize, "u1")
    raw = np.zeros_like(raw) if dtype.kind == "U" else raw
    return np.ndarray(shape, dtype, raw.tobytes(), order=order)
