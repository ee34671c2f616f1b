"""Attributes and vlmetalayers as mappings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from . import _core
from ._errors import NotFoundError, UnsupportedError


class Attributes(MutableMapping[str, Any]):
    """The attributes of a container: JSON values by name.

    They are the metadata of a bloscpack file, the vlmetalayers of a frame, or the attributes of a bcolz directory. Each
    change is written at once: a process that is killed meanwhile leaves the old container or the new one.

    Listing the attributes raises an error if one of them cannot be read, for example because all together exceed the
    limit ``max_metadata``. The others can be read by their names, and every attribute can be deleted.
    """

    def __init__(self, read: Callable[[str | None], str], path: Callable[[], str], changed: Callable[[], None]) -> None:
        self._read, self._path, self._changed = read, path, changed

    def _values(self, name: str | None = None) -> dict[str, Any]:
        """Return all values, or at least the one of this name if it exists."""
        values: dict[str, Any] = json.loads(self._read(name))
        return values

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise KeyError(name)
        return self._values(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        _core.set_attribute(self._path(), name, json.dumps(value))
        self._changed()

    def __delitem__(self, name: str) -> None:
        try:
            _core.set_attribute(self._path(), name, None)
        except NotFoundError:
            raise KeyError(name) from None
        self._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        return f"Attributes({self._values()!r})"


class VlMetalayers(MutableMapping[str, bytes]):
    """The vlmetalayers of a frame: bytes by name, compressed in the file. python-blosc2 stores MessagePack in them."""

    def __init__(self, reader: Callable[[], _core.Reader], path: Callable[[], str], changed: Callable[[], None]) -> None:
        self._reader, self._path, self._changed = reader, path, changed

    def __getitem__(self, name: str) -> bytes:
        content = self._reader().vlmeta(name)
        if content is None:
            raise KeyError(name)
        return content

    def __setitem__(self, name: str, content: bytes) -> None:
        if self._reader().format not in ("b2nd", "frame"):
            raise UnsupportedError("only frames have vlmetalayers")
        _core.set_vlmeta(self._path(), name, content)
        self._changed()

    def __delitem__(self, name: str) -> None:
        if self._reader().format not in ("b2nd", "frame"):
            raise KeyError(name)
        try:
            _core.set_vlmeta(self._path(), name, None)
        except NotFoundError:
            raise KeyError(name) from None
        self._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._reader().vlmeta_names())

    def __len__(self) -> int:
        return len(self._reader().vlmeta_names())

    def __repr__(self) -> str:
        return f"VlMetalayers({dict(self)!r})"
