"""The command line of bloscpack: compress, decompress, append, info.

The command ``blpk`` of the package blpk does more.
"""

from __future__ import annotations

import argparse
import json
import os
import pprint
from collections.abc import Callable, Mapping
from typing import Any

from blpk import Error as EngineError

from . import log
from ._sections import _read_compressed_chunk_fp
from .append import _rewrite_metadata_fp, _seek_to_metadata, append
from .args import BloscArgs, BloscpackArgs, _chunk_size
from .checksums import CHECKSUMS_AVAIL
from .constants import BLOSC_MAX_BUFFERSIZE, CNAME_AVAIL, EXTENSION, MAX_CLEVEL, MIN_CLEVEL
from .defaults import (
    DEFAULT_CHECKSUM,
    DEFAULT_CHUNK_SIZE,
    DEFAULT_CLEVEL,
    DEFAULT_CNAME,
    DEFAULT_SHUFFLE,
    DEFAULT_TYPESIZE,
)
from .exceptions import ChunkingException, FileNotFound
from .file_io import _read_beginning, pack_file_to_file, unpack_file_from_file
from .headers import decode_blosc_flags
from .version import __version__


def check_files(in_file: str, out_file: str, args: argparse.Namespace) -> None:
    """Check that the input exists, and the output does not, unless ``args.force`` is set.

    Raises
    ------
    FileNotFound
        Otherwise.
    """
    _check_exists("input file", in_file)
    if os.path.exists(out_file):
        if not args.force:
            raise FileNotFound(f"output file '{out_file}' exists!")
        log.verbose(f"overwriting existing file: '{out_file}'")
    log.verbose(f"input file is: '{in_file}'")
    log.verbose(f"output file is: '{out_file}'")


def _check_exists(what: str, path: str) -> None:
    if not os.path.exists(path):
        raise FileNotFound(f"{what} '{path}' does not exist!")


def _check_extension(what: str, path: str) -> None:
    if not path.endswith(EXTENSION):
        raise ValueError(f"{what} '{path}' does not end with '{EXTENSION}'")


def _size(text: str) -> int:
    size = BLOSC_MAX_BUFFERSIZE if text == "max" else _chunk_size(int(text) if text.isdecimal() else text)
    return size


def _metadata(path: str | None) -> Any:
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        return json.loads(file.read())


def _blosc_args(args: argparse.Namespace) -> BloscArgs:
    return BloscArgs(args.typesize, args.clevel, args.shuffle, args.cname)


def _compress(args: argparse.Namespace) -> None:
    out_file = args.out_file or args.in_file + EXTENSION
    check_files(args.in_file, out_file, args)
    layout = BloscpackArgs(offsets=args.offsets, checksum=args.checksum)
    pack_file_to_file(args.in_file, out_file, args.chunk_size, _metadata(args.metadata), _blosc_args(args), layout)


def _decompress(args: argparse.Namespace) -> None:
    out_file = args.out_file
    if not args.no_check_extension:
        _check_extension("input file", args.in_file)
        out_file = out_file or args.in_file[: -len(EXTENSION)]
    elif out_file is None:
        raise ValueError("--no-check-extension requires use of <out_file>")
    check_files(args.in_file, out_file, args)
    metadata = unpack_file_from_file(args.in_file, out_file)
    if metadata:
        _print_metadata(metadata)


def _append(args: argparse.Namespace) -> None:
    if not args.no_check_extension:
        _check_extension("original file", args.original_file)
    _check_exists("original file", args.original_file)
    _check_exists("new file", args.new_file)
    metadata = _metadata(args.metadata)
    append(args.original_file, args.new_file, _blosc_args(args))
    if metadata is not None:
        with open(args.original_file, "r+b") as fp:
            _seek_to_metadata(fp)
            _rewrite_metadata_fp(fp, metadata)


def _info(args: argparse.Namespace) -> None:
    _check_exists("file", args.file_)
    with open(args.file_, "rb") as fp:
        header, metadata, metadata_header, offsets = _read_beginning(fp)
        _, fields, _ = _read_compressed_chunk_fp(fp, header.checksum_impl)
    log.normal(header.pformat())
    if offsets:
        log.normal("'offsets':")
        log.normal(f"[{','.join(map(str, offsets[:5]))},...]")
    if metadata_header is not None:
        _print_metadata(metadata)
        log.normal(metadata_header.pformat())
    log.normal("First chunk blosc header:")
    log.normal(_pairs(fields))
    log.normal("First chunk blosc flags: ")
    log.normal(_pairs(decode_blosc_flags(fields["flags"])))


def _pairs(fields: Mapping[str, Any]) -> str:
    """Return fields in the notation that OrderedDict had before Python 3.12."""
    return f"OrderedDict({list(fields.items())})"


def _print_metadata(metadata: Any) -> None:
    log.normal("Metadata:")
    log.normal(pprint.pformat(metadata, width=90))


def create_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="bloscpack", description="pack files into bloscpack files and unpack them")
    parser.add_argument("--version", action="version", version=f"bloscpack: '{__version__}' on blpk")
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument("-v", "--verbose", dest="level", action="store_const", const=log.VERBOSE, help="print sizes")
    levels.add_argument("-d", "--debug", dest="level", action="store_const", const=log.DEBUG, help="print everything")
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing output file")
    commands = parser.add_subparsers(dest="subcommand", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, aliases=[name[0]], help=text, description=text)
        added.set_defaults(run=run)
        return added

    packing = command("compress", _compress, "pack a file")
    _add_blosc_options(packing)
    packing.add_argument("-z", "--chunk-size", default=DEFAULT_CHUNK_SIZE, type=_size, help="'2M', or 'max'")
    packing.add_argument("-k", "--checksum", choices=CHECKSUMS_AVAIL, default=DEFAULT_CHECKSUM)
    packing.add_argument("-o", "--no-offsets", dest="offsets", action="store_false", help="leave out the offsets")
    packing.add_argument("-m", "--metadata", help="JSON file with metadata")
    unpacking = command("decompress", _decompress, "unpack a file")
    for added in (packing, unpacking):
        added.add_argument("in_file")
        added.add_argument("out_file", nargs="?")
    appending = command("append", _append, "append a file to a packed file")
    _add_blosc_options(appending)
    appending.add_argument("-m", "--metadata", help="JSON file with new metadata")
    appending.add_argument("original_file")
    appending.add_argument("new_file")
    for added in (unpacking, appending):
        added.add_argument("-e", "--no-check-extension", action="store_true", help=f"accept names without {EXTENSION}")
    command("info", _info, "print the headers of a packed file").add_argument("file_", metavar="file")
    return parser


def _add_blosc_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-t", "--typesize", type=int, default=DEFAULT_TYPESIZE, help="size of an item in bytes")
    parser.add_argument("-l", "--clevel", type=int, choices=range(MIN_CLEVEL, MAX_CLEVEL + 1), default=DEFAULT_CLEVEL)
    parser.add_argument("-s", "--no-shuffle", dest="shuffle", action="store_false", default=DEFAULT_SHUFFLE)
    parser.add_argument("-c", "--codec", dest="cname", choices=CNAME_AVAIL, default=DEFAULT_CNAME)


def main() -> None:
    """Run the command line of this process."""
    parser = create_parser()
    log.set_prefix(parser.prog)
    args = parser.parse_args()
    log.set_level(args.level or log.NORMAL)
    try:
        args.run(args)
    except (OSError, ValueError, RuntimeError, IndexError, EngineError, ChunkingException) as error:
        log.error(str(error))
    log.verbose("done")


if __name__ == "__main__":
    main()
