"""Attributes and vlmetalayers as mappings."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import NotFoundError, UnsupportedError

if TYPE_CHECKING:
    from ._handle import Handle


class AttributeMapping(MutableMapping[str, Any]):
    """Attributes as JSON values by name, wherever they are stored."""

    def _read(self, name: str | None) -> str:
        """Return JSON with all values, or at least the one of this name if it exists."""
        raise NotImplementedError

    def _write(self, name: str, text: str | None) -> None:
        """Set an attribute to a JSON value, or remove it."""
        raise NotImplementedError

    def _values(self, name: str | None = None) -> dict[str, Any]:
        values: dict[str, Any] = json.loads(self._read(name))
        return values

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise KeyError(name)
        return self._values(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._write(name, json.dumps(value, default=_plain))

    def __delitem__(self, name: str) -> None:
        if not isinstance(name, str):
            raise KeyError(name)
        try:
            self._write(name, None)
        except NotFoundError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        return f"Attributes({self._values()!r})"


class Attributes(AttributeMapping):
    """The attributes of a container: JSON values by name.

    They are the metadata of a bloscpack file, the vlmetalayers of a frame, or the attributes of a bcolz directory. Each
    change is written at once: a process that is killed meanwhile leaves the old container or the new one. Numbers,
    booleans and text of NumPy are stored as JSON's, arrays of them as lists.

    Frames have values of MessagePack. Those that JSON does not have are read as mappings, which are written as the same
    values:

    ==============================  ==========================================================================
    ``{"$bytes": "<base64>"}``      bytes
    ``{"$str": "<base64>"}``        a string that is not UTF-8
    ``{"$ext": [n, "<base64>"]}``   an extension of type `n`
    ``{"$map": [[key, value]]}``    a map with keys that are not strings or not unique, or that looks like one of these
    ``{"$raw": "<base64>"}``        content that is not one value of MessagePack, or nests too deep
    ==============================  ==========================================================================

    Listing the attributes raises an error if one of them cannot be read, for example because all together exceed the
    limit ``max_metadata``. The others can be read by their names, and every attribute can be deleted.
    """

    def __init__(self, handle: Handle, owner: object = None) -> None:
        # A file object closes its handle when nothing refers to it.
        self._handle, self._owner = handle, owner

    def _read(self, name: str | None) -> str:
        return self._handle.reader().attributes(name)

    def _write(self, name: str, text: str | None) -> None:
        with self._handle.change():
            _core.set_attribute(self._handle.path(), name, text, limits=self._handle.limits)


class VlMetalayers(MutableMapping[str, bytes]):
    """The vlmetalayers of a frame: bytes by name, compressed in the file. python-blosc2 stores MessagePack in them."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __getitem__(self, name: str) -> bytes:
        content = self._handle.reader().vlmeta(name) if isinstance(name, str) else None
        if content is None:
            raise KeyError(name)
        return content

    def __setitem__(self, name: str, content: bytes) -> None:
        if not self._is_frame():
            raise UnsupportedError("only frames have vlmetalayers")
        self._write(name, content)

    def __delitem__(self, name: str) -> None:
        if not self._is_frame() or not isinstance(name, str):
            raise KeyError(name)
        try:
            self._write(name, None)
        except NotFoundError:
            raise KeyError(name) from None

    def _is_frame(self) -> bool:
        return self._handle.reader().format in ("b2nd", "frame")

    def _write(self, name: str, content: bytes | None) -> None:
        with self._handle.change():
            _core.set_vlmeta(self._handle.path(), name, content, limits=self._handle.limits)

    def __iter__(self) -> Iterator[str]:
        return iter(self._handle.reader().vlmeta_names())

    def __len__(self) -> int:
        return len(self._handle.reader().vlmeta_names())

    def __repr__(self) -> str:
        return f"VlMetalayers({dict(self)!r})"


def _plain(value: Any) -> Any:
    """Return what JSON stores for numbers, booleans and text of NumPy."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind == "f":
        return value.astype("f8").tolist()
    if kind in {"b", "i", "u", "U"}:
        return value.tolist()
    raise TypeError(f"an attribute cannot be of type {type(value).__name__}, JSON has none")
