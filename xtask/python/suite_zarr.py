"""Runs the tests of Zarr that use Blosc, unmodified, with the codecs of blpk in the place of Zarr's own."""

from __future__ import annotations

import sys

from _fetch import sdist
from _suite import run_suite

VERSION = "3.1.6"

#: All files of its tests in which the word Blosc occurs.
FILES = [
    "test_api.py",
    "test_array.py",
    "test_buffer.py",
    "test_cli/test_migrate_v3.py",
    "test_codecs/test_blosc.py",
    "test_codecs/test_numcodecs.py",
    "test_codecs/test_sharding.py",
    "test_config.py",
    "test_group.py",
    "test_indexing.py",
    "test_metadata/test_consolidated.py",
    "test_regression/test_v2_dtype_regression.py",
    "test_v2.py",
]

#: Tests that cannot pass, with the reason.
NOT_APPLICABLE = {
    "test_config_codec_implementation": "expects that the class of the codec has the name of Zarr's own",
    "test_typesize": "expects the 402 bytes to which C's Zstandard compresses some numbers; blpk needs 401",
}


def main() -> int:
    source = sdist("zarr", VERSION)
    files = [source / "tests" / name for name in FILES]
    # Its own settings, except the options of a benchmark plugin.
    options = ["-o", "addopts=", "-c", str(source / "pyproject.toml")]
    return run_suite("zarr", files, "_zarr_plugin", NOT_APPLICABLE, source, options)


if __name__ == "__main__":
    sys.exit(main())
