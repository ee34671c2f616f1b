"""Types of the annotations. Nothing imports this module at run time."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal, Union

if sys.version_info >= (3, 12):
    from collections.abc import Buffer as Buffer
else:
    #: An object with the buffer protocol, which has no type before Python 3.12.
    Buffer = Any

Format = Literal["blosc1", "blosc2"]
Goal = Union[Literal["fast", "balanced", "small"], str]
Path = Union[str, "os.PathLike[str]"]
