"""Source distributions of other projects, fetched at test time and kept in target/python/sdists.

`pip download` would run the build backend of each, which takes minutes, so pip only names the index.
"""

import hashlib
import html.parser
import os
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

from pip._internal.models.index import PyPI

ROOT = Path(__file__).resolve().parents[2]
SDISTS = ROOT / "target" / "python" / "sdists"


def sdist(name: str, version: str) -> Path:
    """Return the unpacked source distribution of a project, unchanged."""
    folder = SDISTS / f"{name}-{version}"
    if folder.is_dir():
        return folder
    fresh = SDISTS / f"{name}-{version}.new"
    fresh.mkdir(parents=True, exist_ok=True)
    archive = fresh / "sdist.tar.gz"
    archive.write_bytes(_download(name, version))
    with tarfile.open(archive) as tar:
        tar.extractall(fresh, filter="data")
    archive.unlink()
    (unpacked,) = fresh.iterdir()
    unpacked.rename(folder)
    fresh.rmdir()
    return folder


def _download(name: str, version: str) -> bytes:
    page = urllib.parse.urljoin(_index().rstrip("/") + "/", name.lower() + "/")
    links = _Links()
    links.feed(_get(page).decode())
    wanted = {f"{spelling}-{version}.tar.gz" for spelling in (name, name.replace("-", "_"))}
    for link in links.found:
        url, _, digest = urllib.parse.urljoin(page, link).partition("#sha256=")
        if urllib.parse.unquote(url.rsplit("/", 1)[-1]) in wanted:
            data = _get(url)
            if digest and hashlib.sha256(data).hexdigest() != digest:
                raise OSError(f"{url}: its SHA-256 is not that of the index")
            return data
    raise LookupError(f"the index has no source distribution {name} {version}")


def _index() -> str:
    found = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    return os.environ.get("PIP_INDEX_URL") or found.stdout.strip() or PyPI.simple_url


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


class _Links(html.parser.HTMLParser):
    """The targets of all links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for key, value in attrs if tag == "a" and key == "href" and value]
