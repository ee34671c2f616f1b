"""Tables as Arrow streams: values against NumPy, consumers, bounds, errors."""

from __future__ import annotations

import gc
import os
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_helpers import extract_golden, make, same, tables

import blpk
from blpk import _table

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")

BIG = 300_000


def numbers(count=BIG):
    """Rows of the types that every consumer has."""
    rows = np.zeros(count, [("i", "<i4"), ("x", "<f8"), ("ok", "?"), ("s", "S6"), ("u", "U3"), ("t", "M8[us]")])
    rows["i"] = np.arange(count)
    rows["x"] = np.arange(count) / 8
    rows["ok"] = np.arange(count) % 3 == 0
    rows["s"] = np.char.add(b"k", (np.arange(count) % 1000).astype("S5"))
    rows["u"] = np.array(["é", "", "abc"])[np.arange(count) % 3]
    rows["t"] = np.arange(count).astype("M8[us]")
    rows["t"][::5] = "NaT"
    return rows


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    return make(tmp_path_factory.mktemp("big") / "t", numbers())


def from_arrow(array, dtype, shape):
    """Return an Arrow array as an array of NumPy, which has no type for some of them."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    while pa.types.is_fixed_size_list(array.type):
        array = array.flatten()
    if dtype.kind == "c":
        part = dtype.newbyteorder("=").type(0).real.dtype
        found = np.empty(len(array), dtype.newbyteorder("="))
        found.real = np.asarray(array.field("real").to_numpy(zero_copy_only=False), part)
        found.imag = np.asarray(array.field("imag").to_numpy(zero_copy_only=False), part)
    elif dtype.kind in "SUV":
        values = [value if isinstance(value, (bytes, str)) else value for value in array.to_pylist()]
        if dtype.kind == "V":
            found = np.frombuffer(b"".join(values), dtype)
        else:
            found = np.array(values, dtype)
    elif dtype.kind in "mM":
        found = array.to_numpy(zero_copy_only=False)
    else:
        found = array.to_numpy(zero_copy_only=False)
    return found.astype(dtype).reshape(shape)


def expected_type(dtype, binary):
    if dtype.kind in "SU":
        return pa.binary() if dtype.kind == "S" and binary else pa.string()
    if dtype.kind == "V":
        return pa.binary(dtype.itemsize)
    if dtype.kind == "c":
        part = pa.float32() if dtype.itemsize == 8 else pa.float64()
        return pa.struct([("real", part), ("imag", part)])
    return pa.from_numpy_dtype(dtype.newbyteorder("="))


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(rows=tables(), chunklen=st.integers(1, 70), batch=st.one_of(st.none(), st.integers(1, 70)), data=st.data())
def test_any_dtype(tmp_path_factory, rows, chunklen, batch, data):
    for name in rows.dtype.names:
        if rows.dtype[name].base.str.endswith("M8[D]"):
            rows[name] = (rows[name].view("i8") >> 33).view("M8[D]")
    table = make(tmp_path_factory.mktemp("any") / "t", rows, chunklen=chunklen)
    selected = data.draw(st.slices(len(rows)).filter(lambda key: key.step in (None, 1)))
    rows = np.ascontiguousarray(rows[selected])
    found = pa.table(table.arrow(selected, binary=True, batch_rows=batch))
    found.validate(full=True)
    assert found.num_rows == len(rows)
    for name in rows.dtype.names:
        base, axes = rows.dtype[name].base, rows.dtype[name].shape
        kind = expected_type(base, True)
        for axis in reversed(axes):
            kind = pa.list_(kind, axis)
        assert found.schema.field(name).type == kind
        values = from_arrow(found[name], base, rows[name].shape)
        if base.kind in "mM":
            same(values, np.ascontiguousarray(rows[name]))
            nulls = pc.sum(pc.is_null(found[name])).as_py() if not axes else None
            assert axes or (nulls or 0) == np.isnat(rows[name]).sum()
        else:
            np.testing.assert_array_equal(values.view(f"V{base.itemsize}"), rows[name].copy().view(f"V{base.itemsize}"))


def test_pyarrow(big):
    rows = numbers()
    found = pa.table(big)
    assert found.schema == pa.schema(
        [("i", pa.int32()), ("x", pa.float64()), ("ok", pa.bool_()), ("s", pa.string()), ("u", pa.string()),
         ("t", pa.timestamp("us"))]
    )  # fmt: skip
    assert pa.schema(big) == found.schema
    assert found["s"].to_pylist() == rows["s"].astype("U").tolist()
    same(found["t"].to_numpy(), rows["t"].copy())
    assert found["t"].null_count == BIG // 5
    part = pa.table(big[["u", "i"]])
    assert part.column_names == ["u", "i"] and part["i"].to_pylist() == list(range(BIG))
    assert pa.table(big[["i"]].arrow(slice(70_000, 140_001)))["i"].to_pylist() == list(range(70_000, 140_001))
    assert pa.table(big.arrow(slice(5, 5))).num_rows == 0
    assert pa.table(big.arrow(binary=["s"])).schema.field("s").type == pa.binary()


def test_batches(big):
    # A chunk of booleans has 512 Ki rows, one of floats 64 Ki.
    assert [len(batch) for batch in pa.RecordBatchReader.from_stream(big)] == [BIG]
    sizes = [len(batch) for batch in pa.RecordBatchReader.from_stream(big[["x", "t"]])]
    assert sizes == [1 << 16] * 4 + [BIG % (1 << 16)]
    sizes = [len(batch) for batch in pa.RecordBatchReader.from_stream(big.arrow(batch_rows=100_000))]
    assert sizes == [100_000] * 3
    # A batch ends where a chunk ends.
    sizes = [len(batch) for batch in pa.RecordBatchReader.from_stream(big.arrow(slice(10, None), batch_rows=65536))]
    assert sizes[0] == 65526


def test_polars(big):
    pl = pytest.importorskip("polars")
    rows = numbers()
    converted = pl.from_arrow(big)
    # Polars 2 makes one column of structs of an object that is not of pyarrow.
    converted = converted.struct.unnest() if isinstance(converted, pl.Series) else converted
    for frame in [pl.DataFrame(big), converted]:
        assert frame.shape == (BIG, 6)
        assert frame["x"].sum() == rows["x"].sum()
        assert frame["t"].null_count() == BIG // 5
        assert frame["s"].to_list() == rows["s"].astype("U").tolist()
    assert pl.DataFrame(big[["u"]])["u"].to_list() == rows["u"].tolist()


def test_duckdb(big):
    duckdb = pytest.importorskip("duckdb")
    rows = numbers()
    sales = big  # noqa: F841
    found = duckdb.sql("select s, sum(x) as total, count(t) as times from sales where ok group by s order by s").fetchall()
    assert len(found) == 1000
    for key, total, times in found[::100]:
        of_key = (rows["s"] == key.encode()) & rows["ok"]
        assert total == rows["x"][of_key].sum() and times == (~np.isnat(rows["t"][of_key])).sum()
    assert duckdb.sql("select count(*) from sales where s = 'k7'").fetchall() == [(BIG // 1000,)]
    view = big[["i"]]  # noqa: F841
    assert duckdb.sql("select max(i) from view").fetchall() == [(BIG - 1,)]


def test_pandas(big):
    pd = pytest.importorskip("pandas")
    rows = numbers()
    frames = [pa.table(big).to_pandas()]
    if hasattr(pd.DataFrame, "from_arrow"):
        frames.append(pd.DataFrame.from_arrow(big))
    for frame in frames:
        assert frame["i"].tolist() == rows["i"].tolist()
        assert frame["t"].isna().sum() == BIG // 5
        assert frame["s"].tolist() == rows["s"].astype("U").tolist()


def test_golden(tmp_path):
    golden = extract_golden(tmp_path)
    tables = list(golden.glob("*/tab/*/__rootdirs__"))
    assert len(tables) == 9
    for path in tables:
        table = _table.Table(path.parent)
        found = pa.table(table)
        assert found.num_rows == len(table) and found.column_names == table.names
        for name in table.names:
            column = table[name][:]
            base = column.dtype
            if base.kind == "S":
                assert found[name].to_pylist() == [value.decode() for value in column.tolist()]
            else:
                same(from_arrow(found[name], base, column.shape), column)


def test_dates(tmp_path):
    days = np.array(["1970-01-01", "1969-12-31", "2000-02-29", "0001-01-01", "NaT", "9999-12-31"], "M8[D]")
    units = ["Y", "M", "W", "D", "7D", "2M", "h", "m", "s", "25s", "ms", "us"]
    rows = np.zeros(6, [(unit, f"M8[{unit}]") for unit in units])
    for unit in units:
        rows[unit] = days
    found = pa.table(make(tmp_path / "t", rows))
    for unit in units:
        date = unit[-1] in "YMWD"
        assert found.schema.field(unit).type == (pa.date32() if date else found.schema.field(unit).type)
        assert pa.types.is_timestamp(found.schema.field(unit).type) == (not date)
        whole = rows[unit].astype("M8[D]" if date else "M8[us]")
        values = found[unit].cast(pa.int32() if date else pa.timestamp("us")).to_pylist()
        if date:
            assert values == [None if np.isnat(day) else int(day.astype(int)) for day in whole], unit
        else:
            assert values == whole.tolist(), unit
    years = np.zeros(12_000, [("m", "M8[M]"), ("y", ">M8[Y]")])
    years["m"] = np.arange(-6000, 6000).astype("M8[M]")
    years["y"] = np.arange(-6000, 6000).astype("M8[Y]")
    found = pa.table(make(tmp_path / "years", years))
    for name in "my":
        assert found[name].cast(pa.int32()).to_pylist() == years[name].astype("M8[D]").astype(int).tolist()
    spans = np.zeros(3, [(unit, f"m8[{unit}]") for unit in ["W", "D", "h", "m", "s", "ms", "us", "ns", "10us"]])
    for name in spans.dtype.names:
        spans[name] = np.array([1, -2, "NaT"], spans.dtype[name])
    found = pa.table(make(tmp_path / "spans", spans))
    for name in spans.dtype.names:
        values = found[name].cast(pa.duration("ns")).to_numpy()
        np.testing.assert_array_equal(values, spans[name].astype("m8[ns]"))


@pytest.mark.parametrize("dtype", ["M8", "m8", "M8[ps]", "m8[as]", "m8[M]", "m8[Y]", "f16", "c32"])
def test_types_that_arrow_lacks(tmp_path, dtype):
    table = make(tmp_path / "t", np.zeros(3, [("fine", "i4"), ("odd", dtype)]))
    with pytest.raises(blpk.UnsupportedError, match="column 'odd'.*no Arrow type"):
        pa.table(table)
    with pytest.raises(blpk.UnsupportedError, match="column 'odd'"):
        table.__arrow_c_schema__()
    assert pa.table(table[["fine"]]).num_rows == 3


@pytest.mark.parametrize(
    ("dtype", "raw", "error"),
    [
        ("M8[D]", np.int64(1 << 31), "2147483648 is out of the range of Arrow's Date32"),
        ("M8[Y]", np.int64(1 << 62), "out of the range"),
        ("M8[h]", np.int64(1 << 62), "out of the range of Arrow's Timestamp"),
        ("m8[W]", np.int64(-(1 << 62)), "out of the range of Arrow's Duration"),
        ("U1", np.uint32(0xD800), "0xd800 is not a character"),
        ("U1", np.uint32(0x110000), "0x110000 is not a character"),
        ("S1", np.uint8(0xE9), "not UTF-8.*binary"),
    ],
)
def test_values_that_arrow_lacks(tmp_path, dtype, raw, error):
    rows = np.zeros(100_000, [("odd", dtype, 2)])
    rows["odd"].view(raw.dtype)[70_001, 1] = raw
    table = make(tmp_path / "t", rows)
    with pytest.raises((pa.ArrowException, OSError), match=f"column 'odd', row 70001: .*{error}"):
        pa.table(table)
    assert pa.table(table.arrow(slice(70_000))).num_rows == 70_000


def test_text_that_a_cut_splits(tmp_path):
    # Valid UTF-8 as a whole, but not row by row.
    table = make(tmp_path / "t", np.array([(b"\xc3",), (b"\xa9",)], [("s", "S1")]))
    with pytest.raises((pa.ArrowException, OSError), match="column 's', row 0: the bytes are not UTF-8"):
        pa.table(table)
    assert pa.table(table.arrow(binary=["s"]))["s"].to_pylist() == [b"\xc3", b"\xa9"]
    with pytest.raises(ValueError, match="binary"):
        table.arrow(binary=["x"])


def test_damage_is_an_error_of_the_consumer(big, tmp_path):
    table = make(tmp_path / "t", numbers(1000), chunklen=100)
    (tmp_path / "t" / "x" / "data" / "__7.blp").unlink()
    with pytest.raises((pa.ArrowException, OSError), match="__7.blp"):
        pa.table(table)


def test_streams_that_are_not_read(big):
    for _ in range(100):
        big.__arrow_c_stream__()
        big.__arrow_c_schema__()
    reader = pa.RecordBatchReader.from_stream(big)
    reader.read_next_batch()
    del reader
    gc.collect()


def test_readers_in_threads(big):
    totals = []
    readers = [pa.RecordBatchReader.from_stream(_table.Table(big.path, threads=2)) for _ in range(4)]

    def run(reader):
        totals.append(sum(pc.sum(batch["i"]).as_py() for batch in reader))

    threads = [threading.Thread(target=run, args=(reader,)) for reader in readers]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert totals == [BIG * (BIG - 1) // 2] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_fork_within_a_stream(big):
    reader = pa.RecordBatchReader.from_stream(_table.Table(big.path, threads=2)[["i"]].arrow(batch_rows=1000))
    first = len(reader.read_next_batch())
    child = os.fork()
    if child == 0:
        # The child continues with its own copy of the stream.
        os._exit(0 if first + sum(len(batch) for batch in reader) == BIG else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert first + sum(len(batch) for batch in reader) == BIG


def test_table_may_be_closed(big):
    table = _table.Table(big.path)
    reader = pa.RecordBatchReader.from_stream(table)
    table.close()
    assert reader.read_all().num_rows == BIG


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell the memory of a process")
def test_bounded_memory(tmp_path):
    table = _table.create(tmp_path / "t", [("a", "i8"), ("b", "f8")], codec="zstd")
    for part in range(16):
        table.append([np.arange(1 << 19) + (part << 19), np.zeros(1 << 19)])
    assert table.nbytes == 128 << 20
    pool = pa.total_allocated_bytes()

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    reader = pa.RecordBatchReader.from_stream(table)
    before, peak, rows = resident(), 0, 0
    for batch in reader:
        rows += len(batch)
        peak = max(peak, resident() - before)
    assert rows == 1 << 23 and peak < 24 << 20
    assert pa.total_allocated_bytes() == pool
