"""The lines of docs/python-migration.md run, and so do those of the packages on the other side that can be installed."""

import pathlib
import re

import pytest

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs/python-migration.md"

#: Packages whose own lines run too, by the title of the section.
INSTALLED = {"python-blosc": ["blosc"], "bloscpack": ["bloscpack"], "numcodecs and Zarr": ["numcodecs", "zarr"], "NumPy and h5py": []}


def sections():
    text = DOCUMENT.read_text()
    prelude = re.search(r"```python\n(.*?)```", text, re.S)[1]
    for section in text.split("\n## ")[1:]:
        title, *lines = section.splitlines()
        rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and "`" in line]
        yield pytest.param(title, prelude, rows, id=title)


def statements(cell):
    """The code of a cell that runs: no keyword argument alone, no arguments left out, no head of a block."""
    for code in re.findall(r"`([^`]+)`", cell):
        is_argument = re.match(r"\w+=\S", code)
        is_head = re.match(r"(for|with) ", code) and ": " not in code
        if re.search(r"[(\[.]", code) and "…" not in code and not is_argument and not is_head:
            yield code


@pytest.fixture(autouse=True)
def registries():
    """Undo what the lines register."""
    registry = pytest.importorskip("numcodecs.registry").codec_registry
    zarr = pytest.importorskip("zarr")
    before = dict(registry), zarr.config.get("codecs.blosc")
    yield
    registry.clear()
    registry.update(before[0])
    zarr.config.set({"codecs.blosc": before[1]})


@pytest.mark.parametrize(("title", "prelude", "rows"), list(sections()))
@pytest.mark.parametrize("side", [0, 1], ids=["there", "here"])
def test_lines_run(title, prelude, rows, side, tmp_path, monkeypatch):
    if side == 0 and title not in INSTALLED:
        pytest.skip(f"{title} cannot be installed")
    monkeypatch.chdir(tmp_path)
    scope = {name: pytest.importorskip(name) for name in INSTALLED.get(title, []) + ["duckdb", "pandas"]}
    exec(prelude, scope)
    scope["df"] = scope["pandas"].DataFrame({"x": [1.0], "y": [2.0]})
    ran = 0
    for row in rows:
        for code in statements(row[side]):
            exec(compile(code, f"{title}: {code}", "exec"), scope)
            ran += 1
    assert ran >= len(rows) - 4, f"only {ran} of {len(rows)} rows have a statement"


def test_what_runs():
    cell = "`a.b(1)`: text, `shuffle=x.SHUFFLE`, `t.f(…)`, `r+`, `for x in c.iter()`, `x = a.c[1]`"
    assert list(statements(cell)) == ["a.b(1)", "x = a.c[1]"]
