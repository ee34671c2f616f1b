"""Wrong arguments raise ValueError or TypeError, never DamagedError or OverflowError."""

import errno
import types

import numpy as np
import pytest

import blpk
import blpk.numcodecs


def refuses(call, *arguments, match=None, **settings):
    with pytest.raises((ValueError, TypeError), match=match) as raised:
        call(*arguments, **settings)
    assert not isinstance(raised.value, blpk.Error), raised.value


@pytest.fixture
def table(tmp_path):
    table = blpk.create_table(tmp_path / "t", [("x", "i4"), ("y", "f8")])
    table.append([np.arange(5), np.arange(5.0)])
    return table


def test_names_of_columns(tmp_path, table):
    for name in ("a/b", "..", "__attrs__"):
        refuses(blpk.create_table, tmp_path / "new", [(name, "i4")], match="column")
    assert not (tmp_path / "new").exists()
    for name in ("x", "", "..", "a/b"):
        refuses(table.add_column, name, np.arange(5))
        refuses(table.rename_column, "y", name)
    assert table.names == ["x", "y"]


def test_a_column_name_in_a_file_is_damage(table, tmp_path):
    (tmp_path / "t" / "__rootdirs__").write_text('{"names": ["x", "../y"]}')
    with pytest.raises(blpk.DamagedError):
        blpk.open(tmp_path / "t")


def test_sizes(tmp_path, table):
    refuses(table.resize, 2**62)
    refuses(blpk.save, tmp_path / "z.bcolz", np.zeros((4, 0)))
    refuses(blpk.create_table, tmp_path / "new", [("x", "i4")], chunklen=2**40)
    refuses(blpk.numcodecs.B2nd(chunks=(4, 4), blocks=(0, 2), itemsize=8).encode, np.zeros((4, 4)))
    assert len(table) == 5


def test_numbers_below_0(tmp_path, table):
    for size in (-1, -(2**70), 2**70):
        refuses(table.resize, size)
        refuses(table.add_column, "z", np.arange(5), at=size)
        refuses(table.add_column, "z", np.arange(5), chunklen=size)
        refuses(blpk.create_table, tmp_path / "new", [("x", "i4")], expectedlen=size)
        refuses(lambda: table.arrow(batch_rows=size).__arrow_c_stream__(None))
        refuses(blpk.create, tmp_path / "new.b2nd", (size,), "i4")
        refuses(blpk.open, tmp_path / "new.blp", "w", chunk_size=size)
    codec = blpk.numcodecs.B2nd(chunks=(4, 4), blocks=(2, 2), itemsize=8)
    chunk = codec.encode(np.zeros((4, 4)))
    for start in ([-1, 0], [2**70, 0]):
        refuses(codec.decode_box, chunk, start, [2, 2])
    array = blpk.create(tmp_path / "a.b2nd", (3,), "i4")
    refuses(array.resize, -1)
    refuses(array.resize, 2**70)


def test_rows_that_are_no_columns(table):
    frame = type("Frame", (), {"columns": ["x", "y"], "__iter__": lambda self: iter(self.columns)})()
    refuses(table.append, frame, match="not Frame; pass a mapping")
    refuses(table.append, {"x": (number for number in range(3)), "y": [1, 2, 3]}, match="'x' needs a seq.* not generator")
    refuses(table.append, ["x", "y"], match="'x' needs a seq.* not str")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [7], "y": [8.0]})
    refuses(table.append, frame, match="not DataFrame")
    assert table.append(dict(frame)) == 1 and table[5].item() == (7, 8.0)


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz", "a.blp"])
def test_appended_items_lose_nothing(tmp_path, name):
    def array_of(items):
        blpk.save(tmp_path / name, items, overwrite=True)
        return blpk.open(tmp_path / name, "r+")

    array = array_of(np.arange(3, dtype="u1"))
    for items in (np.array([300, -1]), [300], [-1], [1.5], [1 + 2j], ["1"], [None]):
        refuses(array.append, items)
    for items in (np.array([255], "i8"), [7], 8, [], np.zeros(0), [True]):
        array.append(items)
    assert array[3:].tolist() == [255, 7, 8, 1]
    for items, wrong in ((np.arange(3), [1.7]), (np.array([b"abc"]), [b"abcd"]), (np.array(["abc"]), ["abcd"])):
        array = array_of(items)
        refuses(array.append, wrong)
        array.append(items)
        assert array[:].tolist() == items.tolist() * 2
    array = array_of(np.arange(3, dtype="f4"))
    array.append([1, 2.5])
    array.append(np.array([True]))
    assert array[3:].tolist() == [1, 2.5, 1]
    array = array_of(np.array(["2020-01-01"], "M8[D]"))
    array.append(["2020-01-02"])
    assert array[1] == np.datetime64("2020-01-02")


def test_numbers_of_threads_and_levels():
    chunk = blpk.compress(b"abc")
    for number in (0, -1, 2**70, -(2**70)):
        refuses(blpk.compress, b"abc", threads=number, match="threads must be at least 1")
        refuses(blpk.decompress, chunk, threads=number, match="threads must be at least 1")
        refuses(blpk.open, chunk, threads=number, match="threads must be at least 1")
    for level in (-1, 10, 2**70):
        refuses(blpk.compress, b"abc", clevel=level, match="clevel is")
    for start, nitems in ((-1, 1), (0, 2**70), (2**70, 0)):
        refuses(blpk.getitem, chunk, start, nitems)
    for threads in (1.5, "2"):
        refuses(blpk.compress, b"abc", threads=threads)


def test_limits_are_any_mapping_of_known_names(tmp_path):
    path, limits = tmp_path / "a.b2nd", types.MappingProxyType({"max_nbytes": 100})
    blpk.save(path, np.arange(100))
    refuses(blpk.open, tmp_path / "new.blp", "w", limits={"unknown": 1}, match="unknown limit")
    assert not (tmp_path / "new.blp").exists()
    refuses(blpk.open, path, limits=[1])
    refuses(blpk.reference, path, axis=-1)
    assert blpk.reference(path, limits=types.MappingProxyType({"max_chunks": 10}))
    with pytest.raises(blpk.LimitError):
        blpk.decompress(blpk.compress(bytes(1000)), limits=limits)
    with pytest.raises(blpk.LimitError):
        blpk.open(path, limits=limits)[...]


@pytest.mark.parametrize("name", ["a.b2nd", "a.bcolz", "a.blp"])
def test_changes_keep_the_limits(tmp_path, name):
    blpk.save(tmp_path / name, np.arange(1500), chunks=1000)
    array = blpk.open(tmp_path / name, "r+", limits={"max_chunk": 500})
    with pytest.raises(blpk.LimitError):
        array.append([1])
    if name != "a.blp":
        with pytest.raises(blpk.LimitError):
            array[3] = 1
        with pytest.raises(blpk.LimitError):
            array.resize(1600)
    np.testing.assert_array_equal(blpk.open(tmp_path / name)[...], np.arange(1500))


def test_one_chunk_length_for_every_axis(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.zeros((20, 30)), chunks=10, blocks=5)
    array = blpk.open(tmp_path / "a.b2nd")
    assert (array.chunks, array.blocks) == ((10, 10), (5, 5))
    blpk.save(tmp_path / "c", np.arange(30), format="carray", chunks=(7,))
    assert blpk.open(tmp_path / "c").format == "carray"
    for chunks in (0, (1, 2, 3), (5, -1)):
        refuses(blpk.save, tmp_path / "b.b2nd", np.zeros((2, 2)), chunks=chunks, match="chunks")


def test_arguments_of_another_type(tmp_path, table):
    refuses(table.arrow, 5, match="not int")
    dask = pytest.importorskip("blpk.dask")
    pytest.importorskip("dask.dataframe")
    refuses(dask.to_dask_dataframe, table.path, [0], match="names")
    assert dask.to_dask_dataframe(table.path, "x").columns.tolist() == ["x"]
    bloscpack = pytest.importorskip("bloscpack")
    refuses(bloscpack.BloscpackFile, tmp_path / "a.blp", 5, match="not int")


def test_errors_of_the_system_have_numbers_and_names(tmp_path):
    blpk.save(tmp_path / "a.b2nd", np.arange(3))
    blpk.create_table(tmp_path / "t", [("x", "i4")])
    (tmp_path / "empty").mkdir()
    cases = [
        (FileExistsError, errno.EEXIST, "a.b2nd", lambda path: blpk.save(path, np.arange(3))),
        (FileExistsError, errno.EEXIST, "a.b2nd", lambda path: blpk.create(path, (3,), "i4")),
        (FileExistsError, errno.EEXIST, "a.b2nd", lambda path: blpk.open(path, "w-", shape=(3,), dtype="i4")),
        (FileExistsError, errno.EEXIST, "t", lambda path: blpk.create_table(path, [("x", "i4")])),
        (FileNotFoundError, errno.ENOENT, "none", blpk.open),
        (FileNotFoundError, errno.ENOENT, "none", blpk.Table),
        (IsADirectoryError, errno.EISDIR, "empty", blpk.open),
        (NotADirectoryError, errno.ENOTDIR, "a.b2nd", blpk.Table),
    ]
    for kind, number, name, call in cases:
        with pytest.raises(kind) as raised:
            call(tmp_path / name)
        assert (raised.value.errno, raised.value.filename) == (number, str(tmp_path / name)), name


def test_settings_of_files_are_named(tmp_path):
    for name, value in (("chunk_size", 0), ("chunk_size", -1), ("chunk_size", 2**70), ("typesize", 256), ("typesize", 0)):
        refuses(blpk.open, tmp_path / "a.blp", "w", match=f"^{name} is {value}, expected 1 to ", **{name: value})
    refuses(blpk.open, tmp_path / "a.blp", "w", max_app_chunks=-1, match="^max_app_chunks is -1, expected 0 to ")
    assert not (tmp_path / "a.blp").exists()


def test_settings_of_codecs_are_checked_when_they_are_created():
    zarr = pytest.importorskip("blpk.zarr")
    for wrong in ({"codec": "lzo"}, {"clevel": 10}, {"filters": ["nope"]}, {"filters": "nope"}):
        refuses(blpk.numcodecs.B2nd, chunks=(4,), blocks=(2,), itemsize=1, **wrong)
        refuses(zarr.B2ndCodec, blocks=(2,), **wrong)
