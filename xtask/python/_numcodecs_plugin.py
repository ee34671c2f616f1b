"""Plugin of pytest: puts the codec of blpk in the place of ``numcodecs.blosc``."""

import sys
import types

import numcodecs
import numcodecs.blosc

import blpk.numcodecs as ours


def _refuse(*_args, **_kwargs):
    raise AssertionError("a test reached the C code of numcodecs")


# The class of numcodecs calls these functions by name, so its encode and decode raise as well.
_theirs = numcodecs.blosc
_theirs.compress = _theirs.decompress = _refuse

module = types.ModuleType("numcodecs.blosc")
vars(module).update({name: getattr(ours, name) for name in ours.__all__})
# numcodecs has these names with an underscore since 0.16.
module._cbuffer_sizes = ours.cbuffer_sizes
module._cbuffer_metainfo = ours.cbuffer_metainfo
# The tests know the codecs that numcodecs is built with. Snappy is not one of them.
module.list_compressors = lambda: [name for name in ours.list_compressors() if name != "snappy"]
# Tests set it. Threads are a parameter of a codec of blpk, so it means nothing.
module.use_threads = None
# Its tests of other modules use these.
module.get_nthreads = lambda: 1
module.set_nthreads = lambda _count: 1

sys.modules["numcodecs.blosc"] = numcodecs.blosc = module
numcodecs.Blosc = ours.Blosc
ours.register()
