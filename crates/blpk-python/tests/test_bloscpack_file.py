"""`bloscpack.BloscpackFile`: reading, seeking, writing, appending."""

import io
import os

import pytest
from bloscpack_cases import ARGUMENTS, DATA, PLAIN, SLOW, bp
from hypothesis import assume, given
from hypothesis import strategies as st

from bloscpack import exceptions


def test_file_object_reads(tmp_path):
    path = tmp_path / "lines.blp"
    lines = [b"line %d\n" % number for number in range(5000)]
    bp.pack_bytes_to_file(b"".join(lines), path, 1000, metadata={"unit": "m"})
    with bp.BloscpackFile(path) as file:
        assert (file.metadata, file.mode, file.name) == ({"unit": "m"}, "rb", str(path))
        assert file.readable() and file.seekable() and not file.writable()
        assert list(file) == lines
        assert file.seek(-9, io.SEEK_END) == len(b"".join(lines)) - 9 == file.tell()
        assert file.readlines() == [b"ine 4999\n"]
        file.seek(0)
        buffer = bytearray(12)
        assert file.readinto(buffer) == 12 and buffer == b"".join(lines)[:12]
        assert file.peek(3)[:3] == b"".join(lines)[12:15] and file.read1(2) == b"".join(lines)[12:14]
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
        with pytest.raises(ValueError):
            file.seek(-1)
    with pytest.raises(ValueError):
        file.read()
    with io.TextIOWrapper(bp.BloscpackFile(path), encoding="ascii") as text:
        assert text.readline() == "line 0\n"
        mark = text.tell()
        assert [text.readline() for _ in range(100)][-1] == "line 100\n"
        text.seek(mark)
        assert text.readline() == "line 1\n"


@SLOW
@given(PLAIN, st.integers(500, 9000), st.lists(st.tuples(st.integers(0, 60_000), st.integers(-1, 9000)), max_size=20))
def test_file_object_seeks_like_bytes(data, chunk_size, reads):
    packed = bp.pack_bytes_to_bytes(data, chunk_size, bloscpack_args=bp.BloscpackArgs(offsets=len(data) % 2 == 0))
    file, expected = bp.BloscpackFile(fileobj=io.BytesIO(packed)), io.BytesIO(data)
    for at, size in reads:
        assert file.seek(at) == expected.seek(at)
        assert file.read(size) == expected.read(size)
        assert file.tell() == expected.tell()


@SLOW
@given(st.lists(PLAIN, max_size=5), ARGUMENTS)
def test_file_object_writes(tmp_path_factory, pieces, arguments):
    assume(not callable(arguments["bloscpack_args"].max_app_chunks))
    path = tmp_path_factory.mktemp("write") / "file.blp"
    with bp.BloscpackFile(path, "wb", **arguments) as file:
        for piece in pieces:
            assert file.write(piece) == len(piece)
            assert not path.exists()
        assert file.tell() == sum(map(len, pieces))
    data = b"".join(pieces)
    assert path.read_bytes() == bp.pack_bytes_to_bytes(data, **arguments)
    stream = io.BytesIO()
    with bp.BloscpackFile(None, "w", stream, **arguments) as file:
        file.write(data)
    assert stream.getvalue() == path.read_bytes()


def test_file_object_appends(tmp_path):
    path = tmp_path / "file.blp"
    for number in range(4):
        with bp.BloscpackFile(path, "ab", chunk_size=1000) as file:
            file.write(DATA[number * 700 : number * 700 + 700])
    assert bp.unpack_bytes_from_file(path)[0] == DATA[:2800]
    packed = path.read_bytes()
    with pytest.raises(exceptions.NotEnoughSpace), bp.BloscpackFile(path, "ab") as file:
        file.write(DATA)
    assert path.read_bytes() == packed
    assert os.listdir(tmp_path) == ["file.blp"]


def test_file_object_without_a_result(tmp_path):
    path = tmp_path / "file.blp"
    with pytest.raises(KeyError), bp.BloscpackFile(path, "wb") as file:
        file.write(DATA)
        raise KeyError
    with pytest.raises(KeyError), bp.BloscpackFile(path, "ab") as file:
        file.write(DATA)
        raise KeyError
    file = bp.BloscpackFile(path, "wb")
    file.write(DATA)
    del file
    assert os.listdir(tmp_path) == []

    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "no space")

    with pytest.raises(OSError, match="no space"), bp.BloscpackFile(None, "wb", Full()) as file:
        file.write(DATA)
    for arguments in ((), (path, "rb", io.BytesIO()), (path, "u"), (None, "ab", io.BytesIO()), (None, "x", io.BytesIO())):
        with pytest.raises((TypeError, ValueError)):
            bp.BloscpackFile(*arguments)
    with pytest.raises(FileNotFoundError):
        bp.BloscpackFile(path)


def test_a_new_file_replaces_none(tmp_path):
    path = tmp_path / "new.blp"
    with bp.BloscpackFile(path, "xb") as file:
        file.write(DATA)
    with pytest.raises(FileExistsError):
        bp.BloscpackFile(path, "x")
    with bp.BloscpackFile(path) as file:
        assert file.read() == DATA
