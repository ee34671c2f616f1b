"""Plugin of pytest: puts the codecs of blpk in the place of Zarr's own, and of those that Zarr takes from numcodecs."""

import _numcodecs_plugin  # noqa: F401  Before Zarr imports numcodecs.
import zarr
import zarr.codecs.blosc
from zarr.registry import register_codec

from blpk.zarr import BloscCodec

zarr.codecs.BloscCodec = zarr.codecs.blosc.BloscCodec = BloscCodec
# Under the name of Zarr's own codec instead of blpk.zarr.register(), because some tests look at Zarr's configuration.
register_codec("blosc", BloscCodec, qualname="zarr.codecs.blosc.BloscCodec")
