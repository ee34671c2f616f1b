"""`blpk` on URLs: files and directories from nginx with ranges, and through a proxy that injects faults."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import blpk as package
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _common import blpk, opened, run_tests  # noqa: E402
from _servers import faulty_proxy, nginx, nginx_program  # noqa: E402

pytestmark = pytest.mark.skipif(nginx_program() is None, reason="nginx is not installed")

#: Compresses little, so that a file takes several requests.
ITEMS = np.round(np.random.default_rng(1).normal(100, 20, (3000, 100)), 6)
NAMES = ["a.blp", "a.b2nd", "a.b2frame", "a.bcolz"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("www")
    for ending in (".b2nd", ".bcolz", ".blp", ".npy"):
        package.save(folder / f"a{ending}", ITEMS, **({} if ending == ".npy" else {"chunks": (300, 100)}))
    blpk("convert", folder / "a.blp", folder / "a.b2frame")
    table = package.create_table(folder / "t", [("x", "f8"), ("name", "S4")], chunklen=1000)
    table.append([np.arange(5000) / 3, np.tile([b"ab", b"xyz"], 2500)])
    (folder / "not-blosc").write_bytes(b"hello" * 1000)
    return folder


@pytest.fixture(scope="module")
def web(folder, tmp_path_factory):
    with nginx(folder, tmp_path_factory.mktemp("nginx")) as url:
        yield url


@pytest.fixture
def proxy(web):
    with faulty_proxy(web) as proxy:
        yield proxy


@pytest.mark.parametrize("name", NAMES)
def test_every_command(web, folder, tmp_path, name):
    url, path = f"{web}/{name}", folder / name
    for command in (["info", "--json"], ["list", "--json"], ["stats", "--json"]):
        far, near = (json.loads(blpk(*command, where).stdout) for where in (url, path))
        for found in (far, near):
            # The size of a directory on a server is not known.
            for member in ("name", "stored_nbytes") if name.endswith("bcolz") else ("name",):
                found.pop(member, None)
        assert far == near, command
    if name == "a.bcolz":
        # Finding files that should not be there needs a list of the directory.
        assert "cannot be listed" in blpk("verify", url, check=False).stderr
    else:
        assert "ok" in blpk("verify", url).stdout
    for command in (["cat", "--items", "1000..1010"], ["cat", "--bytes", "-100.."], ["cat", "--chunk", 2]):
        assert blpk(*command, url).stdout == blpk(*command, path).stdout
    plain = tmp_path / "plain"
    blpk("decompress", url, plain)
    assert plain.read_bytes() == ITEMS.tobytes()
    blpk("convert", url, tmp_path / "x.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy").reshape(-1).view("<f8").reshape(ITEMS.shape), ITEMS)


def test_a_table(web, folder, tmp_path):
    blpk("convert", f"{web}/t", tmp_path / "t.csv")
    blpk("convert", folder / "t", tmp_path / "near.csv")
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "near.csv").read_bytes()
    assert "5000" in blpk("info", f"{web}/t").stdout
    assert blpk("cat", "--items", "5..8", "--column", "x", f"{web}/t").returncode == 0


def traffic(stderr: str) -> int:
    """Return the number of requests that `-v` prints."""
    found = re.search(r"network: (\d+) request", stderr)
    assert found, stderr
    return int(found[1])


@pytest.mark.parametrize("name", ["a.blp", "a.b2nd", "a.b2frame", "a.bcolz"])
def test_a_part_needs_a_part(proxy, folder, name):
    """A few items of a file cost a few requests, and a fraction of the bytes."""
    size = sum(file.stat().st_size for file in [folder / name, *(folder / name).rglob("*")] if file.is_file())
    done = blpk("-v", "cat", "--items", "150000..150010", f"{proxy['none']}/{name}")
    assert traffic(done.stdout + done.stderr) == proxy.requests["none"] <= 12
    assert proxy.nbytes["none"] < size / 2 + 70_000, (proxy.nbytes, size)


@pytest.mark.parametrize("fault", ["busy", "cut", "slow", "redirect", "no-ranges"])
@pytest.mark.parametrize("name", ["a.blp", "a.b2nd"])
def test_faults_that_pass(proxy, tmp_path, name, fault):
    blpk("decompress", f"{proxy[fault]}/{name}", tmp_path / "plain")
    assert (tmp_path / "plain").read_bytes() == ITEMS.tobytes()


@pytest.mark.parametrize("fault", ["cut-always", "changing", "liar", "loop", "missing", "garbage", "huge"])
@pytest.mark.parametrize("command", ["decompress", "verify", "info"])
def test_faults_that_stay(proxy, tmp_path, fault, command):
    """An error in time, without an output; never wrong data."""
    url = f"{proxy[fault]}/a.blp"
    output = [tmp_path / "plain"] if command == "decompress" else []
    done = blpk(command, url, *output, check=False)
    if fault in ("changing", "cut-always", "liar") and command == "info" and done.returncode == 0:
        return  # the header may be all that is needed, and intact
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "error:" in done.stderr and "panick" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_other_content(web):
    for path, words in {"not-blosc": "not", "none": "404"}.items():
        done = blpk("info", f"{web}/{path}", check=False)
        assert done.returncode == 1 and words in done.stderr, done.stderr


def test_references_to_urls(web):
    """References made from URLs. Zarr reads them over HTTP."""
    for name in ("a.b2nd", "a.blp"):
        refs = json.loads(blpk("reference", "-o", "-", f"{web}/{name}").stdout)
        assert refs["refs"]["0.0"][0] == f"{web}/{name}"
        array = opened(refs, remote_protocol="http", remote_options={"asynchronous": True})
        np.testing.assert_array_equal(array[...], ITEMS)


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
