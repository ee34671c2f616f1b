"""The package bloscpack: bytes, files, arrays, names, command line."""

import doctest
import hashlib
import importlib
import io
import os
import pkgutil
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from bloscpack_cases import (
    ARGUMENTS,
    DATA,
    DTYPES,
    PLAIN,
    SLOW,
    bp,
    golden,
    make_array,
    pack_by_sink,
    unpack_by_source,
    without_metadata,
)
from hypothesis import given
from hypothesis import strategies as st

from bloscpack import append as appending
from bloscpack import exceptions, file_io, memory_io, numpy_io


def test_golden_files():
    files, manifest = golden()
    for entry in manifest["files"]:
        packed = files[entry["file"]]
        for plain, metadata in (bp.unpack_bytes_from_bytes(packed), unpack_by_source(packed)):
            assert (len(plain), hashlib.sha256(plain).hexdigest()) == (entry["size"], entry["sha256"]), entry["file"]
        header, found, metadata_header, offsets = file_io._read_beginning(io.BytesIO(packed))
        assert header == entry["header"]
        assert header.encode() == packed[:32]
        assert offsets == entry.get("offsets", []), entry["file"]
        if "metadata" in entry:
            assert found == metadata == entry["metadata"]
        with bp.BloscpackFile(fileobj=io.BytesIO(packed)) as file:
            assert file.read() == plain


@SLOW
@given(PLAIN, ARGUMENTS)
def test_engine_and_sinks_write_the_same_bytes(data, arguments):
    before = {name: repr(value) for name, value in arguments.items()}
    packed = bp.pack_bytes_to_bytes(data, **arguments)
    assert without_metadata(packed) == without_metadata(pack_by_sink(data, **arguments))
    assert bp.unpack_bytes_from_bytes(packed) == unpack_by_source(packed) == (data, arguments["metadata"])
    assert before == {name: repr(value) for name, value in arguments.items()}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (1000,), (30, 7), (3, 4, 5), (2, 0, 3)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays(dtype, shape, order, tmp_path):
    array = make_array(dtype, shape, order)
    path = tmp_path / "array.blp"
    bp.pack_ndarray_to_file(array, path, chunk_size=array.itemsize * 64)
    packed = bp.pack_ndarray_to_bytes(array, chunk_size=array.itemsize * 64)
    assert path.read_bytes() == packed
    sink, fp = memory_io.CompressedMemorySink(), io.BytesIO()
    numpy_io.pack_ndarray(array, sink)
    numpy_io.pack_ndarray(array, file_io.CompressedFPSink(fp), chunk_size=array.itemsize * 64)
    assert without_metadata(fp.getvalue()) == without_metadata(packed)
    found = [bp.unpack_ndarray_from_file(path), bp.unpack_ndarray_from_bytes(packed)]
    found.append(numpy_io.unpack_ndarray(memory_io.CompressedMemorySource(sink)))
    found.append(numpy_io.unpack_ndarray(file_io.CompressedFPSource(io.BytesIO(packed))))
    for other in found:
        assert (other.dtype, other.shape, other.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert np.isfortran(other) == np.isfortran(array)
        assert other.flags.writeable


def test_arrays_with_gaps():
    array = np.arange(1000).reshape(10, 100)
    for view in (array[::2, 5:50:3], array[::-1], array.T, array[:, :1], np.broadcast_to(array[0], (3, 100))):
        np.testing.assert_array_equal(bp.unpack_ndarray_from_bytes(bp.pack_ndarray_to_bytes(view)), view)


def test_arrays_that_are_refused():
    with pytest.raises(exceptions.ObjectNumpyArrayRejection):
        bp.pack_ndarray_to_bytes(np.array([None]))
    with pytest.raises(exceptions.ChunkSizeTypeSizeMismatch):
        bp.pack_ndarray_to_bytes(np.arange(100), chunk_size=99)
    with pytest.raises(ValueError):
        bp.pack_ndarray_to_bytes(np.zeros(3, "S300"))
    plain = bp.pack_bytes_to_bytes(b"abc")
    with pytest.raises(exceptions.NotANumpyArray):
        bp.unpack_ndarray_from_bytes(plain)


def test_outputs_are_atomic(tmp_path):
    source, target = tmp_path / "in", tmp_path / "in.blp"
    source.write_bytes(DATA)
    bp.pack_file_to_file(source, target, metadata=[1])
    packed = target.read_bytes()
    for broken in (
        lambda: bp.pack_file_to_file(source, target, blosc_args=bp.BloscArgs(typesize=0)),
        lambda: bp.pack_file_to_file(source, target, chunk_size=0),
        lambda: bp.pack_file_to_file(source, target, metadata=object()),
        lambda: bp.pack_file_to_file(source, target, metadata="\ud800"),
        lambda: bp.pack_file_to_file(source, source),
        lambda: bp.pack_file_to_file(tmp_path / "missing", target),
        lambda: bp.unpack_file_from_file(target, target),
        lambda: bp.unpack_file_from_file(source, target),
        lambda: appending.append(target, target),
    ):
        with pytest.raises((ValueError, TypeError, OSError)):
            broken()
        assert (source.read_bytes(), target.read_bytes()) == (DATA, packed)
    assert sorted(os.listdir(tmp_path)) == ["in", "in.blp"]
    assert bp.unpack_file_from_file(str(target), os.fsencode(tmp_path / "out")) == [1]
    assert (tmp_path / "out").read_bytes() == DATA


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_packing_a_pipe(tmp_path):
    pipe, target = tmp_path / "pipe", tmp_path / "out.blp"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(DATA))
    writer.start()
    bp.pack_file_to_file(pipe, target, chunk_size=1000)
    writer.join()
    assert target.read_bytes() == bp.pack_bytes_to_bytes(DATA, 1000)
    with pytest.raises(TypeError):
        bp.pack_file_to_file(pipe, target, bloscpack_args=bp.BloscpackArgs(max_app_chunks=lambda n: n))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_interrupt_ends_packing(tmp_path):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    # A walk: short strings occur often, so the search for matches takes long.
    data = np.cumsum(np.random.default_rng(0).integers(0, 3, 200 << 20, "u1"), dtype="u1")
    slow = bp.BloscArgs(typesize=1, clevel=9, cname="zstd")
    old = signal.signal(signal.SIGALRM, interrupt)
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            bp.pack_bytes_to_file(data, tmp_path / "out.blp", blosc_args=slow)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert time.monotonic() - start < 5
    assert os.listdir(tmp_path) == []


def test_old_names_warn(tmp_path):
    array, path, plain = np.arange(10), tmp_path / "a.blp", tmp_path / "plain"
    plain.write_bytes(b"data")
    calls = [
        (bp.pack_ndarray_file, array, path),
        (bp.unpack_ndarray_file, path),
        (bp.unpack_ndarray_str, bp.pack_ndarray_to_bytes(array)),
        (bp.pack_ndarray_str, array),
        (bp.pack_bytes_file, b"abc", path),
        (bp.unpack_bytes_file, path),
        (bp.pack_file, plain, path),
        (bp.unpack_file, path, plain),
    ]
    for function, *arguments in calls:
        with pytest.warns(DeprecationWarning, match=function.__name__):
            function(*arguments)


def test_arguments_are_checked():
    for arguments in (
        {"blosc_args": bp.BloscArgs(shuffle=3)},
        {"blosc_args": bp.BloscArgs(cname="none")},
        {"blosc_args": bp.BloscArgs(clevel=10)},
        {"blosc_args": bp.BloscArgs(typesize=256)},
        {"bloscpack_args": bp.BloscpackArgs(checksum="sha3")},
        {"bloscpack_args": bp.BloscpackArgs(max_app_chunks=-1)},
        {"chunk_size": "1P"},
        {"chunk_size": 1 << 31},
        {"metadata": 1, "metadata_args": bp.MetadataArgs(meta_codec="lzma")},
        {"metadata": 1, "metadata_args": bp.MetadataArgs(magic_format=b"XML")},
        {"metadata": 1, "metadata_args": bp.MetadataArgs(meta_level=10)},
        {"metadata": 1, "metadata_args": bp.MetadataArgs(max_meta_size=-1)},
    ):
        with pytest.raises((ValueError, KeyError, RuntimeError)):
            bp.pack_bytes_to_bytes(b"abc", **arguments)
        with pytest.raises((ValueError, KeyError, RuntimeError)):
            pack_by_sink(b"abc", **arguments)
    with pytest.raises(exceptions.NoSuchChecksum):
        bp.pack_bytes_to_bytes(b"abc", bloscpack_args=bp.BloscpackArgs(checksum="sha3"))


def test_command_line(tmp_path, monkeypatch, capsys):
    from bloscpack import cli

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["bloscpack", *map(str, arguments)])
        cli.main()
        return capsys.readouterr().out

    source, metadata = tmp_path / "data", tmp_path / "metadata.json"
    source.write_bytes(DATA)
    metadata.write_text('{"a": 1}')
    run("c", "-z", "10K", "-c", "zstd", "-k", "sha1", "-m", metadata, source)
    packed = tmp_path / "data.blp"
    assert "'codec', 'zstd'" in run("info", packed)
    metadata.write_text('{"a": 2}')
    assert "compression ratio" in run("-v", "append", "-m", metadata, packed, source)
    assert "{'a': 2}" in run("-f", "decompress", packed)
    assert source.read_bytes() == DATA * 2
    with pytest.raises(SystemExit):
        run("d", packed)
    assert "exists!" in capsys.readouterr().out


def test_examples():
    for module in pkgutil.iter_modules(bp.__path__, "bloscpack."):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert doctest.testmod(importlib.import_module(module.name)).failed == 0
    assert doctest.testmod(bp).failed == 0
