"""Files exchanged with the original bloscpack, in both directions.

The original runs in an interpreter of its own: the one that the variable BLOSCPACK_PYTHON names, or that of the venv of
the interoperability tests.
"""

import io
import os
import pickle
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from bloscpack_cases import ARGUMENTS, BLOSC_ARGS, DTYPES, PLAIN, SLOW, bp, make_array, without_metadata
from hypothesis import given
from hypothesis import strategies as st

from bloscpack import append as appending
from bloscpack import exceptions, file_io
from bloscpack.args import calculate_nchunks

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def original():
    """A function that calls one of `bloscpack_original.py`."""
    python = os.environ.get("BLOSCPACK_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
    probe = [python, "-c", "import bloscpack; print(bloscpack.__version__, hasattr(bloscpack, 'BloscpackFile'))"]
    try:
        version = subprocess.run(probe, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        version = []
    if version != ["0.16.0", "False"]:
        pytest.skip(f"{python} has no bloscpack 0.16.0")
    script = str(Path(__file__).with_name("bloscpack_original.py"))
    with subprocess.Popen([python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def call(name, *arguments):
            request = pickle.dumps((name, arguments), protocol=4)
            process.stdin.write(struct.pack("<q", len(request)) + request)
            process.stdin.flush()
            answer = pickle.loads(process.stdout.read(*struct.unpack("<q", process.stdout.read(8))))
            if isinstance(answer, Exception):
                raise answer
            return answer

        yield call
        process.stdin.close()


def plain_arguments(arguments):
    """Return arguments that another process understands."""
    return {name: dict(value) if hasattr(value, "pformat") else value for name, value in arguments.items()}


def without_functions(data, arguments):
    """Replace functions by the numbers that they return."""
    arguments = {name: value.copy() if hasattr(value, "copy") else value for name, value in arguments.items()}
    nchunks = calculate_nchunks(len(data), arguments["chunk_size"])[0]
    layout, metadata = arguments["bloscpack_args"], arguments["metadata_args"]
    if callable(layout.max_app_chunks):
        layout.max_app_chunks = layout.max_app_chunks(nchunks)
    if callable(metadata.max_meta_size):
        metadata.max_meta_size = 20_000
    return arguments


@SLOW
@given(data=PLAIN, arguments=ARGUMENTS)
def test_bytes(original, data, arguments):
    arguments = without_functions(data, arguments)
    ours = bp.pack_bytes_to_bytes(data, **arguments)
    theirs = original("pack", data, plain_arguments(arguments))
    metadata = arguments["metadata"]
    assert original("unpack", ours) == (data, metadata)
    assert bp.unpack_bytes_from_bytes(theirs) == (data, metadata)
    with bp.BloscpackFile(fileobj=io.BytesIO(theirs)) as file:
        assert (file.read(), file.metadata) == (data, metadata)
    assert ours[:32] == theirs[:32]
    # All sections have the same size, and so the first chunk has the same offset.
    ours, theirs = file_io._read_beginning(io.BytesIO(ours)), file_io._read_beginning(io.BytesIO(theirs))
    assert ours[0] == theirs[0] and ours[1] == theirs[1] and ours[3][:1] == theirs[3][:1]
    if metadata is not None:
        for name in set(theirs[2]) - {"meta_codec", "meta_comp_size"}:
            assert ours[2][name] == theirs[2][name]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays(original, dtype, order):
    for shape in [(), (0,), (1,), (1000,), (30, 7), (3, 4, 5), (2, 0, 3)]:
        array = make_array(dtype, shape, order)
        arguments = {"chunk_size": array.itemsize * 64}
        ours = bp.pack_ndarray_to_bytes(array, **arguments)
        npy = io.BytesIO()
        np.save(npy, array)
        theirs = original("pack_array", npy.getvalue(), arguments)
        found = [np.load(io.BytesIO(original("unpack_array", ours))), bp.unpack_ndarray_from_bytes(theirs)]
        for other in found:
            assert (other.dtype, other.shape, other.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert file_io._read_beginning(io.BytesIO(ours))[:2] == file_io._read_beginning(io.BytesIO(theirs))[:2]


@SLOW
@given(
    data=PLAIN,
    pieces=st.lists(st.tuples(PLAIN.filter(len), BLOSC_ARGS, st.booleans()), min_size=1, max_size=3),
    chunk_size=st.integers(2000, 20_000),
    metadata=st.sampled_from([None, {"a": 1}]),
)
def test_append(original, tmp_path_factory, data, pieces, chunk_size, metadata):
    folder = tmp_path_factory.mktemp("append")
    target, source = folder / "file.blp", folder / "new"
    # The original does not append to an empty file, and a chunk of one byte needs many entries.
    data += bytes(chunk_size)
    layout = bp.BloscpackArgs(max_app_chunks=200)
    packed = bp.pack_bytes_to_bytes(data, chunk_size, metadata, bloscpack_args=layout)
    for piece, blosc_args, is_ours in pieces:
        theirs, added = original("append_bytes", packed, piece, dict(blosc_args))
        ours = io.BytesIO(packed)
        assert appending.append_fp(ours, io.BytesIO(piece), len(piece), blosc_args) == added
        target.write_bytes(packed)
        source.write_bytes(piece)
        appending.append(target, source, blosc_args)
        data += piece
        for changed in (ours.getvalue(), target.read_bytes()):
            assert original("unpack", changed) == (data, metadata)
            assert changed[:32] == theirs[:32]
        assert bp.unpack_bytes_from_bytes(theirs) == (data, metadata)
        packed = ours.getvalue() if is_ours else theirs


def test_metadata_is_rewritten(original):
    packed = bp.pack_bytes_to_bytes(b"data" * 100, metadata={"a": 1, "padding": "x" * 100})
    theirs = original("rewrite", packed, {"b": 2})
    assert bp.unpack_bytes_from_bytes(theirs) == (b"data" * 100, {"b": 2})
    ours = io.BytesIO(packed)
    appending._seek_to_metadata(ours)
    appending._rewrite_metadata_fp(ours, {"b": 2})
    assert original("unpack", ours.getvalue()) == (b"data" * 100, {"b": 2})
    assert without_metadata(ours.getvalue()) == without_metadata(theirs)


#: Public names of the original that are absent: names of its dependencies, and parts of its command line.
ABSENT = {
    ".args:integer_types",
    ".args:string_types",
    ".headers:PY3",
    ".headers:integer_types",
    ".cli:process_compression_args",
    ".cli:process_decompression_args",
    ".cli:process_append_args",
    ".cli:process_metadata_args",
    ".cli:process_nthread_arg",
    ".cli:log_metadata",
    ".cli:BloscPackCustomFormatter",
}


def test_names(original):
    import bloscpack_original

    ours, theirs = bloscpack_original.describe(), original("describe")
    missing = set()
    for name, wanted in theirs.items():
        module, _, key = name.partition(":")
        if key.startswith("_") or name in ABSENT:
            continue
        if name not in ours:
            # Names that a module only imports are found where they are defined.
            if not any(other.endswith(":" + key) for other in ours):
                missing.add(name)
            continue
        found = ours[name]
        if isinstance(wanted, tuple) and len(wanted) == 2 and isinstance(wanted[1], list):
            signature, bases = wanted
            if not bases or issubclass(getattr(exceptions, key, type(None)), BaseException):
                assert found == wanted, name
            else:
                assert (found[0] or [])[: len(signature or [])] == (signature or []), name
        elif key not in ("__version__", "PREFIX"):
            assert found == wanted, name
    assert not missing
