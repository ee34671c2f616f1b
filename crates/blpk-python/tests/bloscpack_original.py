"""Runs the original bloscpack for `test_bloscpack_original.py`, in an interpreter that has it.

Requests and answers are pickles on standard input and output, each after its length.
"""

import io
import pickle
import struct
import sys

import bloscpack
import numpy
from bloscpack import append, file_io, numpy_io
from bloscpack.args import BloscArgs, BloscpackArgs, MetadataArgs


def arguments(given):
    kinds = {"blosc_args": BloscArgs, "bloscpack_args": BloscpackArgs, "metadata_args": MetadataArgs}
    return {name: kinds[name](**value) if name in kinds else value for name, value in given.items()}


def pack(data, given):
    return bloscpack.pack_bytes_to_bytes(data, **arguments(given))


def unpack(packed):
    return bloscpack.unpack_bytes_from_bytes(packed)


def pack_array(npy, given):
    array = numpy.load(io.BytesIO(npy))
    return bloscpack.pack_ndarray_to_bytes(array, **arguments(given))


def unpack_array(packed):
    npy = io.BytesIO()
    numpy.save(npy, bloscpack.unpack_ndarray_from_bytes(packed))
    return npy.getvalue()


def append_bytes(packed, data, given):
    fp = io.BytesIO(packed)
    nchunks = append.append_fp(fp, io.BytesIO(data), len(data), BloscArgs(**given))
    return fp.getvalue(), nchunks


def rewrite(packed, metadata):
    fp = io.BytesIO(packed)
    append._seek_to_metadata(fp)
    append._rewrite_metadata_fp(fp, metadata)
    return fp.getvalue()


def headers(packed):
    header, metadata, metadata_header, offsets = file_io._read_beginning(io.BytesIO(packed))
    return dict(header), metadata, metadata_header and dict(metadata_header), offsets


def describe():
    """Names, signatures and defaults of everything public."""
    import importlib
    import inspect

    found = {}
    names = "abstract_io append args checksums constants defaults exceptions file_io headers log memory_io metacodecs"
    for name in ["", *("." + name for name in f"{names} numpy_io pretty serializers testutil cli".split())]:
        module = importlib.import_module("bloscpack" + name)
        for key, value in vars(module).items():
            if key.startswith("__") or inspect.ismodule(value) or key in ("xrange", "division", "print_function"):
                continue
            if inspect.isfunction(value) or inspect.isclass(value):
                if (value.__module__ or "").partition(".")[0] != "bloscpack":
                    continue
                try:
                    signature = list(inspect.signature(value).parameters)
                except (TypeError, ValueError):
                    signature = None
                bases = [base.__name__ for base in value.__mro__] if inspect.isclass(value) else []
                found[name + ":" + key] = (signature, bases)
            elif isinstance(value, (int, str, bytes, tuple)):
                found[name + ":" + key] = value
    return found


def main():
    while head := sys.stdin.buffer.read(8):
        name, given = pickle.loads(sys.stdin.buffer.read(*struct.unpack("<q", head)))
        try:
            answer = globals()[name](*given)
        except BaseException as error:
            answer = RuntimeError(repr(error))
        answer = pickle.dumps(answer)
        sys.stdout.buffer.write(struct.pack("<q", len(answer)) + answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
