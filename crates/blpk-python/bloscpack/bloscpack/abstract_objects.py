"""Base class of arguments and headers: attributes that are also the items of a mapping."""

from __future__ import annotations

import copy
import pprint
from collections.abc import Iterator, MutableMapping
from typing import Any, TypeVar

from .pretty import double_pretty_size

Self = TypeVar("Self", bound="MutableMappingObject")


class MutableMappingObject(MutableMapping[str, Any]):
    """A mapping with fixed keys, each of which is an attribute. It equals every mapping with the same items."""

    #: Names of the attributes, in the order of the constructor.
    _names: tuple[str, ...] = ()
    #: Names of those that are sizes in bytes.
    _sizes: tuple[str, ...] = ()

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes."""
        return list(self._names)

    @property
    def bytes_attributes(self) -> list[str]:
        """Names of the attributes that are sizes in bytes."""
        return list(self._sizes)

    def _check(self, key: str) -> None:
        if key not in self.attributes:
            raise KeyError(f"{key} not in {type(self).__name__}")

    def __getitem__(self, key: str) -> Any:
        self._check(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._check(key)
        setattr(self, key, value)

    def __delitem__(self, key: str) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not support __delitem__ or derivatives")

    def __len__(self) -> int:
        return len(self.attributes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.attributes)

    def __str__(self) -> str:
        return pprint.pformat(dict(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.items())})"

    def pformat(self, indent: int = 4) -> str:
        """Return one line for each attribute. Sizes also get a unit."""
        lines = [f"{type(self).__name__}:"]
        for key, value in self.items():
            # -1 stands for an unknown size.
            is_size = key in self.bytes_attributes and value != -1
            lines.append(f"{' ' * indent}{key}: {double_pretty_size(value) if is_size else repr(value)}")
        return "\n".join(lines)

    def copy(self: Self) -> Self:
        """Return a shallow copy."""
        return copy.copy(self)
