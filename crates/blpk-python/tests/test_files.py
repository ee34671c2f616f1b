"""Plain bytes through file objects."""

import copy
import gzip
import io
import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blpk
import bloscpack
from blpk import _core

CONTENT = b"".join(b"line %d\n" % number for number in range(50_000))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.blp"
    with blpk.open(path, "w", chunk_size=10_000) as file:
        for start in range(0, len(CONTENT), 70_001):
            file.write(CONTENT[start : start + 70_001])
        assert not path.exists() and file.tell() == len(CONTENT)
    return path


def test_reading(path):
    with blpk.open(path) as file:
        assert isinstance(file, blpk.File) and file.nbytes == len(CONTENT)
        assert file.read(10) == CONTENT[:10] and file.tell() == 10
        assert file.seek(-10, os.SEEK_END) == len(CONTENT) - 10
        assert file.read() == CONTENT[-10:] and file.read() == b"" and file.read(5) == b""
        assert file.seek(5) == 5 and file.seek(5, os.SEEK_CUR) == 10
        before = file.decoded
        file.read(1)
        assert 0 < file.decoded - before <= 10_000
        assert len(file.read()) == len(CONTENT) - 11
        with pytest.raises(ValueError):
            file.seek(-1)
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
    assert file.closed
    with pytest.raises(ValueError):
        file.read()


def test_text(path):
    with io.TextIOWrapper(io.BufferedReader(blpk.open(path))) as text:
        assert sum(1 for line in text if line.startswith("line ")) == 50_000


@given(data=st.binary(max_size=5000), cuts=st.lists(st.integers(0, 5000), max_size=5))
def test_pieces_do_not_matter(tmp_path_factory, data, cuts):
    path = tmp_path_factory.mktemp("pieces") / "a.blp"
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    with blpk.open(path, "w", codec="lz4", chunk_size=100) as file:
        for start, end in zip(bounds, bounds[1:]):
            file.write(data[start:end])
    assert blpk.open(path).read() == data


def test_appending(path):
    with blpk.open(path, "a") as file:
        file.write(b"more")
        file.write(np.arange(3, dtype="u1"))
    assert blpk.open(path).read() == CONTENT + b"more\x00\x01\x02"
    with blpk.open(path.with_name("new.blp"), "a") as file:
        file.write(b"first")
    assert blpk.open(path.with_name("new.blp")).read() == b"first"


@pytest.mark.parametrize("mode", ["w", "a"])
def test_wrong_settings_are_an_error_before_any_data(path, mode):
    for wrong in ({"clevel": 99}, {"foo": 1}, {"threads": 0}, {"codec": "lzo"}):
        with pytest.raises((ValueError, TypeError)):
            blpk.open(path, mode, **wrong)
    assert blpk.open(path).read() == CONTENT


def test_failed_writes_leave_nothing(path):
    before = path.read_bytes()
    for mode in ("w", "a"):
        with pytest.raises(ZeroDivisionError), blpk.open(path, mode) as file:
            file.write(bytes(100_000))
            1 / 0
        unfinished = blpk.open(path, mode)
        unfinished.write(b"x")
        del unfinished
        assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["a.blp"]
    with pytest.raises(FileExistsError):
        blpk.open(path, "w-").close()
    with blpk.open(path, "w") as file:
        pass
    with pytest.raises(ValueError):
        file.write(b"x")
    assert blpk.open(path).read() == b""


def test_settings(path):
    sizes = {}
    for settings in ({}, {"codec": "lz4"}, {"codec": "zstd", "clevel": 9}, {"auto": "small"}, {"threads": 2}):
        with blpk.open(path, "w", **settings) as file:
            file.write(CONTENT)
        assert blpk.open(path).read() == CONTENT
        sizes[str(settings)] = path.stat().st_size
    assert sizes["{'auto': 'small'}"] < sizes["{'codec': 'lz4'}"]
    assert sizes["{}"] == sizes["{'threads': 2}"]
    for wrong in ({"codec": "lzma"}, {"chunk_size": 0}):
        with pytest.raises(ValueError):
            blpk.open(path, "w", **wrong)


def test_pickles(path):
    file = pickle.loads(pickle.dumps(blpk.open(path)))
    assert file.read() == CONTENT


@pytest.mark.parametrize("mode", ["w", "a"])
def test_arrays_are_written_in_c_order(path, mode):
    before = len(CONTENT) if mode == "a" else 0
    rows = np.arange(24, dtype="i2").reshape(2, 3, 4)
    arrays = [rows, np.asfortranarray(rows), rows.T, rows[:, ::2], rows[::-1]]
    expected = b"".join(array.tobytes() for array in arrays)
    for open_file in (blpk.open, lambda path, mode: bloscpack.BloscpackFile(path, mode + "b")):
        packed = path.read_bytes()
        with open_file(path, mode) as file:
            assert [file.write(array) for array in arrays] == [array.nbytes for array in arrays]
        assert blpk.open(path).read()[before:] == expected
        path.write_bytes(packed)


@pytest.mark.parametrize("mode", ["w", "a"])
@pytest.mark.parametrize("kind", ["blpk", "bloscpack"])
def test_threads_share_a_file(path, kind, mode):
    before = 8 << 20 if mode == "a" else 0
    with blpk.open(path, "w") as file:
        file.write(bytes(8 << 20))
    file = blpk.open(path, mode, threads=2) if kind == "blpk" else bloscpack.BloscpackFile(path, mode + "b")
    # Long and short writes: those of 8 MiB and more are on a thread of their own.
    pieces = [bytes([number]) * (9_000_000 if number % 4 == 0 else 40_000) for number in range(16)]
    with file, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(file.write, pieces)) == [len(piece) for piece in pieces]
        assert file.tell() in (sum(map(len, pieces)), before + sum(map(len, pieces)))
    content = blpk.open(path).read()[before:]
    assert len(content) == sum(map(len, pieces))
    found = [piece for _, piece in sorted((content.index(piece), piece) for piece in pieces)]
    assert b"".join(found) == content


def test_threads_read_each_byte_once():
    data = np.random.default_rng(0).integers(0, 9, 3_000_000, dtype="u1").tobytes()
    file = blpk.open(blpk.compress(data, codec="zstd", clevel=1))
    with ThreadPoolExecutor(4) as pool:
        pieces = list(pool.map(lambda _: file.read(50_000), range(61)))
    assert sum(map(len, pieces)) == len(data) and sorted(b"".join(pieces)) == sorted(data)
    file.seek(0)
    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(len, pool.map(lambda _: file.read(), range(4)))) == [0, 0, 0, len(data)]


def test_failed_and_closed_files_refuse_writes(path):
    class Full(io.BytesIO):
        def write(self, data):
            file.write(b"while it closes")

    with bloscpack.BloscpackFile(None, "wb", Full()) as file:
        file.write(CONTENT)
        with pytest.raises(ValueError, match="^the file is closed$"):
            file.close()
    packer = _core.Packer(path)
    packer.finish()
    for call in (packer.finish, lambda: packer.write(b"x")):
        with pytest.raises(ValueError, match="^the file is closed$"):
            call()


def write_in_child(file):
    try:
        file.write(bytes(10_000_000))
    except RuntimeError as error:
        os._exit(0 if "another process" in str(error) else 1)
    os._exit(2)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_does_not_write_its_parents_file(tmp_path):
    with blpk.open(tmp_path / "a.blp", "w", threads=2) as file:
        file.write(b"parent")
        child = multiprocessing.get_context("fork").Process(target=write_in_child, args=(file,))
        child.start()
        child.join(30)
        assert child.exitcode == 0
        file.write(b" again")
    assert blpk.open(tmp_path / "a.blp").read() == b"parent again"


def test_only_bloscpack_files_take_more_bytes(tmp_path):
    (tmp_path / "chunk").write_bytes(blpk.compress(b"abc"))
    with blpk.open(tmp_path / "chunk", "a") as file, pytest.raises(io.UnsupportedOperation, match="this is a chunk"):
        file.write(b"more")


def test_reads_are_full_across_chunks(path):
    content = np.random.default_rng(3).integers(0, 50, 300_000).astype("u1").tobytes()
    with blpk.open(path, "w", chunk_size=1000) as file:
        file.write(pickle.dumps(content))
    assert pickle.load(blpk.open(path)) == content
    file = blpk.open(path)
    assert len(file.read(200_000)) == 200_000 and file.tell() == 200_000
    assert len(file.read(None)) == file.nbytes - 200_000 and file.read(5) == b""


def test_bytes_before_a_damaged_chunk_are_read(path):
    with blpk.open(path, "w", chunk_size=1000) as file:
        file.write(np.arange(1500, dtype="u2").tobytes())
    damaged = bytearray(path.read_bytes())
    damaged[-10:] = b"\xff" * 10
    file = blpk.open(bytes(damaged))
    assert file.read(3000) == np.arange(1000, dtype="u2").tobytes()
    with pytest.raises(blpk.DamagedError):
        file.read(1)


@pytest.mark.parametrize("kind", ["blpk", "bloscpack"])
def test_a_child_does_not_delete_what_waits(path, kind):
    with blpk.open(path, "w", chunk_size=1000) as file:
        file.write(bytes(5000))
    file = blpk.open(path, "a") if kind == "blpk" else bloscpack.BloscpackFile(path, "ab")
    file.write(b"first")
    child = os.fork()
    if child == 0:
        # The interpreter does this at its end. Here the rest of pytest would run first.
        file.__del__()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    file.write(b"second")
    file.close()
    assert blpk.open(path).read()[5000:] == b"firstsecond"


def test_writers_cannot_be_copied(path):
    with blpk.open(path, "w") as file:
        file.write(b"abc")
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="Writer cannot be copied"):
                call(file)
    assert blpk.open(path).read() == b"abc"


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_wrappers_learn_name_and_mode(path):
    with blpk.open(path, "w") as file:
        with gzip.GzipFile(fileobj=file) as zipped:
            zipped.write(b"abc")
        assert (file.name, file.mode) == (str(path), "wb")
    file = blpk.open(path)
    assert (file.name, file.mode, blpk.open(path.read_bytes()).name) == (str(path), "rb", "")
    assert gzip.GzipFile(fileobj=file).read() == b"abc"
    file.close()
    for ask in (file.readable, file.seekable):
        with pytest.raises(ValueError, match="closed"):
            ask()


def test_lines(path):
    lines = CONTENT.splitlines(keepends=True)
    with blpk.open(path) as file:
        assert list(file) == lines
        file.seek(0)
        assert file.readlines(100) == io.BytesIO(CONTENT).readlines(100)
        before = file.decoded
        file.seek(0)
        for line in lines[:1000]:
            assert file.readline() == line
        assert file.tell() == sum(map(len, lines[:1000]))
        assert file.decoded == before, "what was read ahead is not decoded again"
        file.refresh()
        assert file.readline() == lines[1000]


@settings(deadline=None)
@given(
    data=st.lists(st.sampled_from([b"\n", b"a", b"bc", b"x" * 700, b"\r"]), max_size=40).map(b"".join),
    steps=st.lists(st.tuples(st.sampled_from("lrs"), st.integers(-2, 3000)), max_size=30),
)
def test_lines_between_other_reads(tmp_path_factory, data, steps, monkeypatch_lines):
    path = tmp_path_factory.mktemp("lines") / "a.blp"
    with blpk.open(path, "w", chunk_size=100) as file:
        file.write(data)
    ours, plain = blpk.open(path), io.BytesIO(data)
    for step, number in steps:
        if step == "s":
            assert ours.seek(max(number, 0)) == plain.seek(max(number, 0))
        elif step == "l":
            assert ours.readline(number) == plain.readline(number)
        else:
            assert ours.read(number) == plain.read(number)
        assert ours.tell() == plain.tell()


@pytest.fixture(scope="module")
def monkeypatch_lines():
    """Pieces for lines that are shorter than the test's data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blpk._file._LINES", 256)
        yield
