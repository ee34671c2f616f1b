"""Old names of functions."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])


def deprecated(name: str, function: Function) -> Function:
    """Return `function` under an old name. Every call warns."""

    @functools.wraps(function)
    def renamed(*args: object, **kwargs: object) -> object:
        text = f"'{name}' is deprecated since bloscpack 0.16.0, use '{function.__name__}'"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = name
    renamed.__doc__ = f"Deprecated name of :func:`{function.__name__}`."
    return cast(Function, renamed)
