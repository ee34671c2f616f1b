"""Tables with all dtypes, as NumPy arrays and on disk."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from blpk import _table

GOLDEN = Path(__file__).parents[3] / "testdata" / "bcolz.tar.gz"

#: Dtypes that a column can have.
SCALARS = [
    "|b1", "|i1", "<i2", "<i4", "<i8", ">i4", ">i8", "|u1", "<u2", "<u4", "<u8", ">u2", "<f2", "<f4", "<f8", ">f2",
    ">f8", "<c8", "<c16", ">c16", "|S1", "|S5", "<U3", ">U3", "|V3", "<M8[D]", "<M8[s]", "<M8[ms]", "<M8[us]",
    "<M8[ns]", ">M8[ns]", "<m8[s]", "<m8[ms]", "<m8[us]", "<m8[ns]", ">m8[us]",
]  # fmt: skip


def extract_golden(target: Path) -> Path:
    """Extract the golden directories."""
    with tarfile.open(GOLDEN) as archive:
        for member in archive:
            archive.extract(member, target)
    return target


def make(path: Path, rows: np.ndarray, **settings) -> _table.Table:
    """Return a table with these rows."""
    table = _table.create(path, rows.dtype, **settings)
    table.append(rows)
    return table


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Check dtype, shape and every byte, so that NaN and NaT are equal to themselves."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


@st.composite
def dtypes(draw: st.DrawFn) -> np.dtype:
    """A dtype with one to four fields, some with axes."""
    fields = draw(st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4))
    axes = st.sampled_from([(), (), (2,), (2, 3)])
    return np.dtype([(f"c{index}", scalar, draw(axes)) for index, scalar in enumerate(fields)])


@st.composite
def tables(draw: st.DrawFn, most: int = 60) -> np.ndarray:
    """Rows of any dtype and any bytes."""
    dtype, count = draw(dtypes()), draw(st.integers(0, most))
    raw = draw(hnp.arrays(np.uint8, (count, dtype.itemsize)))
    rows = np.zeros(count, dtype)
    if count:
        rows = np.frombuffer(raw.tobytes(), dtype).copy()
    for name in dtype.names:
        base = dtype[name].base
        if base.kind == "b":
            rows[name] = raw[:, :1].reshape(-1, *[1] * (rows[name].ndim - 1)) & 1
        if base.kind in "SU":
            items = st.text(max_size=3) if base.kind == "U" else st.binary(max_size=base.itemsize)
            # NumPy has no trailing NULs.
            items = items.map(lambda item: item.rstrip("\0" if isinstance(item, str) else b"\0"))
            rows[name] = draw(hnp.arrays(base, rows[name].shape, elements=items))
    return rows


