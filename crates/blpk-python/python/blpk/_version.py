"""What tells versions of a container at a path apart, for caches and the names of tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator


def version(path: str) -> list[tuple[int, int, int]]:
    """Return facts about the files of a container that change with it. A path without files has none."""
    found = [os.stat(file) for file in sorted(_files(path)) if os.path.exists(file)]
    return [(file.st_mtime_ns, file.st_ino, file.st_size) for file in found]


def _files(path: str) -> Iterator[str]:
    """Yield the files of a container that change with it: of a Zarr array all, because writers change chunks in place."""
    yield path
    if any(os.path.exists(os.path.join(path, name)) for name in ("zarr.json", ".zarray")):
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names)
    else:
        yield from (os.path.join(path, name) for name in ("__rootdirs__", "meta/sizes", "chunks.b2frame"))
