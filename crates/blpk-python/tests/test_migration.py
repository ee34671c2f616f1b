"""The lines of docs/python-migration.md run, those of the other packages too."""

import pathlib
import re

import pytest

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs/python-migration.md"

#: The packages that the lines of each section import. `bloscpack` is this project's, which has the names of the original.
PACKAGES = {
    "python-blosc": ["blosc"],
    "bloscpack": ["bloscpack"],
    "bcolz": ["bcolz", "duckdb", "pandas"],
    "numcodecs and Zarr": ["numcodecs", "zarr"],
    "NumPy": [],
}

#: Rows without a statement, on the left and on the right.
WITHOUT = {"shuffle=blosc.SHUFFLE", "all arrays of Zarr format 2", "all arrays of Zarr format 3", "bcolz.ctable.fromhdf5"}
WITHOUT_HERE = {"blosc.set_releasegil", "blosc_args=", "bcolz.ctable.fromhdf5"}


def sections():
    for section in DOCUMENT.read_text().split("\n## ")[1:]:
        title, *lines = section.splitlines()
        rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and "`" in line]
        yield pytest.param(title, rows, id=title)


def statements(cell):
    """The code of a cell that runs: no keyword argument alone, and no arguments left out."""
    for code in re.findall(r"`([^`]+)`", cell):
        is_argument = re.match(r"\w+=\S", code)
        if re.search(r"[(\[.]", code) and "…" not in code and not is_argument:
            yield code


@pytest.fixture(autouse=True)
def registries():
    """Restore the registries after a test."""
    registry = pytest.importorskip("numcodecs.registry").codec_registry
    zarr = pytest.importorskip("zarr")
    before = dict(registry), zarr.config.get("codecs.blosc")
    yield
    registry.clear()
    registry.update(before[0])
    zarr.config.set({"codecs.blosc": before[1]})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("title", "rows"), list(sections()))
@pytest.mark.parametrize("side", [0, 1], ids=["there", "here"])
def test_lines_run(title, rows, side, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {name: pytest.importorskip(name) for name in PACKAGES[title]}
    exec(re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)[1], scope)
    if "pandas" in scope:
        scope["df"] = scope["pandas"].DataFrame({"x": [1.0], "y": [2.0]})
    for row in rows:
        ran = 0
        for code in statements(row[side]):
            exec(compile(code, f"{title}: {code}", "exec"), scope)
            ran += 1
        assert ran or any(part in row[0] for part in (WITHOUT_HERE if side else WITHOUT)), row


def test_what_runs():
    cell = "`a.b(1)`: text, `shuffle=x.SHUFFLE`, `t.f(…)`, `r+`, `x = a.c[1]`"
    assert list(statements(cell)) == ["a.b(1)", "x = a.c[1]"]
