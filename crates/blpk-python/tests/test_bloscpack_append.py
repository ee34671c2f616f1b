"""Appending with the package bloscpack, and new metadata."""

import io

import pytest
from bloscpack_cases import BLOSC_ARGS, DATA, PACKED, PLAIN, SLOW, bp, unpack_by_source
from hypothesis import given
from hypothesis import strategies as st

from bloscpack import append as appending
from bloscpack import exceptions, file_io


@SLOW
@given(PLAIN, st.lists(st.tuples(PLAIN, BLOSC_ARGS), max_size=3), st.integers(500, 20_000), st.booleans())
def test_append(tmp_path_factory, data, pieces, chunk_size, has_metadata):
    folder = tmp_path_factory.mktemp("append")
    target, source = folder / "file.blp", folder / "new"
    layout = bp.BloscpackArgs(max_app_chunks=500)
    bp.pack_bytes_to_file(data, target, chunk_size, {"a": 1} if has_metadata else None, bloscpack_args=layout)
    stream = io.BytesIO(target.read_bytes())
    for piece, blosc_args in pieces:
        stream.seek(0)
        source.write_bytes(piece)
        try:
            appending.append(target, source, blosc_args)
        except exceptions.NotEnoughSpace:
            with pytest.raises(exceptions.NotEnoughSpace):
                appending.append_fp(stream, io.BytesIO(piece), len(piece), blosc_args)
            break
        stream.seek(0)
        before = file_io._read_bloscpack_header(stream).nchunks
        stream.seek(0)
        added = appending.append_fp(stream, io.BytesIO(piece), len(piece), blosc_args)
        stream.seek(0)
        assert file_io._read_bloscpack_header(stream).nchunks == before + added
        stream.seek(0)
        data += piece
        for packed in (target.read_bytes(), stream.getvalue()):
            assert bp.unpack_bytes_from_bytes(packed)[0] == unpack_by_source(packed)[0] == data


def test_append_that_fails_changes_nothing(tmp_path):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            if self.tell() > 5000:
                raise ConnectionError
            return super().read(size)

    stream = io.BytesIO(PACKED)
    with pytest.raises(ConnectionError):
        appending.append_fp(stream, Broken(DATA), 20_000)
    assert stream.getvalue() == PACKED
    full = bp.pack_bytes_to_bytes(DATA, 1000, bloscpack_args=bp.BloscpackArgs(max_app_chunks=1))
    stream = io.BytesIO(full)
    with pytest.raises(exceptions.NotEnoughSpace):
        appending.append_fp(stream, io.BytesIO(DATA), 5000)
    assert stream.getvalue() == full
    target, source = tmp_path / "full.blp", tmp_path / "new"
    target.write_bytes(full)
    source.write_bytes(DATA)
    with pytest.raises(exceptions.NotEnoughSpace):
        appending.append(target, source)
    assert target.read_bytes() == full
    target.write_bytes(bp.pack_bytes_to_bytes(DATA, bloscpack_args=bp.BloscpackArgs(offsets=False)))
    with pytest.raises(RuntimeError):
        appending.append(target, source)
    # Data that ends early is appended as far as it goes.
    stream = io.BytesIO(PACKED)
    assert appending.append_fp(stream, io.BytesIO(b"x" * 1500), 9000) == 1
    assert bp.unpack_bytes_from_bytes(stream.getvalue())[0] == DATA[:9000] + b"x" * 1500


def test_metadata_is_rewritten_in_place():
    stream = io.BytesIO(PACKED)
    assert appending._seek_to_metadata(stream) == 32
    appending._rewrite_metadata_fp(stream, {"b": "new"})
    assert bp.unpack_bytes_from_bytes(stream.getvalue()) == (DATA[:9000], {"b": "new"})
    refused = [({"b": "new"}, exceptions.NoChangeInMetadata), (list(range(900)), exceptions.MetadataSectionTooSmall)]
    for metadata, kind in refused:
        stream.seek(32)
        with pytest.raises(kind):
            appending._rewrite_metadata_fp(stream, metadata)
    with pytest.raises(exceptions.NoMetadataFound):
        appending._seek_to_metadata(io.BytesIO(bp.pack_bytes_to_bytes(b"abc")))
