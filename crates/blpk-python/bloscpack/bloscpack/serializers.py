"""Formats of metadata."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .exceptions import NoSuchSerializer


class Serializer:
    """A format of metadata: its name in the header and its two functions."""

    def __init__(self, name: bytes, dumps: Callable[[Any], str], loads: Callable[[str], Any]) -> None:
        self.name = name
        self._dumps = dumps
        self._loads = loads

    def dumps(self, dict_: Any) -> str:
        """Return a value as text."""
        return self._dumps(dict_)

    def loads(self, data: str) -> Any:
        """Return the value that a text stands for."""
        return self._loads(data)


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


SERIALIZERS = [Serializer(b"JSON", _dumps, json.loads)]
SERIALIZERS_AVAIL = [serializer.name for serializer in SERIALIZERS]
SERIALIZERS_LOOKUP = dict(zip(SERIALIZERS_AVAIL, SERIALIZERS))


def check_valid_serializer(serializer: bytes) -> None:
    """Check the name of a format.

    Raises
    ------
    NoSuchSerializer
        If no format has this name.
    """
    if serializer not in SERIALIZERS_AVAIL:
        raise NoSuchSerializer(f"serializer '{serializer!r}' does not exist, expected one of {SERIALIZERS_AVAIL}")
