"""The package bloscpack on damaged and hostile files: exceptions, no crash, no unbounded memory."""

import hashlib
import io
import os
import tracemalloc

import pytest
from bloscpack_cases import DATA, ERRORS, PACKED, PACKED_ARRAY, bp, golden, pack_by_sink, unpack_by_source
from hypothesis import given, settings
from hypothesis import strategies as st

import blpk
from bloscpack import append as appending
from bloscpack import exceptions, file_io, headers, numpy_io


def test_golden_malformed_files(tmp_path):
    files, manifest = golden()
    path, out = tmp_path / "in.blp", tmp_path / "out"
    failed = 0
    for entry in manifest["malformed"]:
        packed = files[entry["file"]]
        path.write_bytes(packed)
        readers = [
            lambda: bp.unpack_bytes_from_bytes(packed)[0],
            lambda: bp.unpack_bytes_from_file(path)[0],
            lambda: (bp.unpack_file_from_file(path, out), out.read_bytes())[1],
            lambda: unpack_by_source(packed)[0],
            lambda: bp.BloscpackFile(path).read(),
            lambda: bp.unpack_ndarray_from_file(path),
        ]
        for number, reader in enumerate(readers):
            try:
                plain = reader()
            except ERRORS:
                failed += 1
                assert not out.exists()
                continue
            out.unlink(missing_ok=True)
            # Sources are read from start to end, so they miss damage that only the end of the file shows.
            if number < 3:
                assert entry["expect"] != "fail", entry["file"]
                if entry["expect"] == "fail_or_exact":
                    assert hashlib.sha256(plain).hexdigest() == entry["sha256"], entry["file"]
    assert failed > 1000


@pytest.mark.parametrize(
    "changes",
    [
        {"dtype": "'|O'"},
        {"dtype": "[('a', '|O'), ('b', '<i4')]"},
        {"dtype": "[" * 5000},
        {"dtype": "(" * 100 + "-" * 100_000},
        {"dtype": "x" * 2_000_000},
        {"dtype": "__import__('os').getcwd()"},
        {"dtype": 5},
        {"dtype": None},
        {"dtype": []},
        {"dtype": [[]]},
        {"dtype": [["a", "<f4", -5]]},
        {"dtype": "'<U2147483647'"},
        {"shape": [10**9, 10**9, 10**9]},
        {"shape": [10**8]},
        {"shape": [-1]},
        {"shape": [1.5]},
        {"shape": ["3"]},
        {"shape": [True] * 100},
        {"shape": 3},
        {"shape": None},
        {"shape": [0] * 100},
        {"order": "K"},
        {"order": None},
        {"order": []},
        {"container": "pandas"},
        {"container": None},
    ],
    ids=lambda changes: repr(changes)[:40],
)
def test_hostile_metadata_of_arrays(changes):
    metadata = {"dtype": "'<f8'", "shape": [100], "order": "C", "container": "numpy"} | changes
    packed = bp.pack_bytes_to_bytes(bytes(800), metadata=metadata)
    tracemalloc.start()
    for unpack in (
        lambda: bp.unpack_ndarray_from_bytes(packed),
        lambda: numpy_io.unpack_ndarray(file_io.CompressedFPSource(io.BytesIO(packed))),
    ):
        with pytest.raises(ERRORS):
            unpack()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20
    for broken in ([], 3, "text", {}, {"container": "numpy"}):
        with pytest.raises(exceptions.NotANumpyArray):
            bp.unpack_ndarray_from_bytes(bp.pack_bytes_to_bytes(b"", metadata=broken))


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from([PACKED, PACKED_ARRAY]),
    st.lists(st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=9))),
)
def test_damaged_bytes(packed, changes):
    damaged = bytearray(packed)
    for at, replacement in changes:
        damaged[at : at + len(replacement)] = replacement
    damaged = bytes(damaged)
    tracemalloc.start()
    for read in (
        bp.unpack_bytes_from_bytes,
        unpack_by_source,
        bp.unpack_ndarray_from_bytes,
        lambda packed: bp.BloscpackFile(fileobj=io.BytesIO(packed)).read(),
        lambda packed: appending.append_fp(io.BytesIO(packed), io.BytesIO(b"new"), 3),
        lambda packed: headers.MetadataHeader.decode(packed[32:64]),
    ):
        try:
            read(damaged)
        except ERRORS:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


@pytest.mark.parametrize("end", range(0, len(PACKED), 97))
def test_truncated_files(end):
    with pytest.raises(ERRORS):
        bp.unpack_bytes_from_bytes(PACKED[:end])
    with pytest.raises(ERRORS):
        unpack_by_source(PACKED[:end])


def test_a_digest_that_does_not_match(tmp_path):
    header, _, _, offsets = file_io._read_beginning(io.BytesIO(PACKED))
    damaged = bytearray(PACKED)
    damaged[offsets[2] + 20] ^= 1
    damaged = bytes(damaged)
    path = tmp_path / "damaged.blp"
    path.write_bytes(damaged)
    for read in (
        lambda: bp.unpack_bytes_from_bytes(damaged),
        lambda: bp.unpack_file_from_file(path, tmp_path / "out"),
        lambda: unpack_by_source(damaged),
        lambda: bp.BloscpackFile(path).read(),
    ):
        with pytest.raises(exceptions.ChecksumMismatch):
            read()
    assert os.listdir(tmp_path) == ["damaged.blp"]
    # Only the damaged chunk is lost to a reader that seeks.
    with bp.BloscpackFile(path) as file:
        assert file.read(4000) == DATA[:4000]
        file.seek(6000)
        assert file.read() == DATA[6000:9000]
    damaged = bytearray(PACKED)
    damaged[70] ^= 1
    with pytest.raises(exceptions.ChecksumMismatch):
        bp.unpack_bytes_from_bytes(bytes(damaged))
    damaged = bytearray(PACKED)
    damaged[4] = 4
    with pytest.raises(exceptions.FormatVersionMismatch):
        bp.unpack_bytes_from_bytes(bytes(damaged))


def test_metadata_limits():
    with pytest.raises(exceptions.MetadataSectionTooSmall):
        bp.pack_bytes_to_bytes(b"", metadata=list(range(100)), metadata_args=bp.MetadataArgs(max_meta_size=10))
    bomb = pack_by_sink(b"abc", metadata="x" * (20 << 20), metadata_args=bp.MetadataArgs(max_meta_size=1 << 20))
    for read in (bp.unpack_bytes_from_bytes, unpack_by_source):
        with pytest.raises(blpk.LimitError):
            read(bomb)
