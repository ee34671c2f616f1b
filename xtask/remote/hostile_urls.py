"""Damaged files on a web server, and references to them: the same verdict as for the file, and never a panic."""

from __future__ import annotations

import json
import random
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _common import ROOT, blpk, run_tests  # noqa: E402
from _servers import nginx, nginx_program  # noqa: E402

#: Damaged files of each format. All are tested on the file system by the tests of the crates.
FILES = 60


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """Files of the golden data: damaged ones, and some that are intact."""
    folder = tmp_path_factory.mktemp("golden")
    rng, paths = random.Random(1), []
    for name in ("bloscpack", "frames"):
        with tarfile.open(ROOT / "testdata" / f"{name}.tar.gz") as tar:
            tar.extractall(folder / name, filter="data")
        files = sorted(path for path in (folder / name).rglob("*") if path.is_file() and path.suffix != ".json")
        is_damaged = ["malformed" in str(path) or "mut" in path.parts for path in files]
        for wanted, count in ((True, FILES), (False, FILES // 3)):
            chosen = [path for path, found in zip(files, is_damaged) if found == wanted]
            paths += rng.sample(chosen, min(count, len(chosen)))
    return folder, paths


def verdict(*arguments: object) -> int:
    done = blpk(*arguments, check=False)
    assert done.returncode in (0, 1), (arguments, done.returncode, done.stderr)
    assert "panick" not in done.stderr, done.stderr
    assert done.returncode == 0 or "error:" in done.stderr
    return done.returncode


@pytest.mark.skipif(nginx_program() is None, reason="nginx is not installed")
def test_the_same_verdict_behind_a_url(golden, tmp_path):
    folder, paths = golden
    verdicts = []
    with nginx(folder, tmp_path / "nginx") as url:
        for path in paths:
            near = verdict("verify", path)
            far = verdict("verify", f"{url}/{path.relative_to(folder).as_posix()}")
            assert near == far, path
            verdicts.append(near)
    assert 10 < sum(verdicts) < len(verdicts)


def test_references_are_within_their_files(golden, tmp_path):
    _, paths = golden
    made = 0
    for path in paths:
        output = tmp_path / "refs.json"
        if verdict("-f", "reference", "-o", output, path):
            continue
        made += 1
        size = path.stat().st_size
        for reference in json.loads(output.read_text())["refs"].values():
            if isinstance(reference, list):
                assert 0 < reference[1] and reference[1] + reference[2] <= size, path
    assert made > 0


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
