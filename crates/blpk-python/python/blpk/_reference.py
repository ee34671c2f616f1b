"""References: Zarr reads arrays of other formats where they are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._types import Path


def reference(
    inputs: Path | Sequence[Path],
    *,
    axis: int = 0,
    new_axis: bool = False,
    name: str | None = None,
    dims: Sequence[str] = (),
    base: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return references to the chunks of arrays, so that Zarr reads the arrays where they are. No data is copied.

    The result is what kerchunk makes, version 1. fsspec's file system ``"reference"`` takes it, or a JSON file with it.
    Arrays of b2nd need this package wherever they are read; all others need numcodecs only.

    Parameters
    ----------
    inputs : path or sequence of paths
        Arrays in ``.b2nd`` files, sparse frames, carrays, bloscpack files whose chunks are whole rows, and tables, whose
        columns become arrays of a group. Several are joined: all must have the same dtype and chunks, and all but the
        last must end with a whole chunk.
    axis : int
        Axis along which several inputs are joined.
    new_axis : bool
        Join them along a new axis, which `axis` places.
    name : str, optional
        Name of the array in a group. Without it, the array is not in a group.
    dims : sequence of str, optional
        Names of the axes, for xarray.
    base : str, optional
        URL of the folder that has copies of the files. The inputs are then paths relative to that folder. By default,
        references have the absolute paths of the inputs.
    limits : mapping, optional
        Bounds for hostile input, as for :func:`blpk.open`.

    Raises
    ------
    ValueError
        If Zarr cannot read an input in place. The message says what to do.

    Examples
    --------
    >>> import blpk, tempfile, numpy as np
    >>> path = tempfile.mkdtemp() + "/a.b2nd"
    >>> blpk.save(path, np.arange(12.0).reshape(3, 4), chunks=(2, 4))
    >>> refs = blpk.reference(path)
    >>> sorted(refs["refs"])
    ['.zarray', '.zattrs', '0.0', '1.0']
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if isinstance(dims, str):
        dims = [dims]
    if axis < 0:
        raise ValueError(f"axis is {axis}, expected 0 or more")
    text = _core.reference([os.fspath(path) for path in paths], axis, new_axis, name, list(dims), base, limits)
    return dict(json.loads(text))
