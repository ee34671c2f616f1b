"""The engine: chunks and whole files by blpk, with the exceptions of bloscpack."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import blpk
from blpk import _core

from . import exceptions
from .args import BloscArgs, BloscpackArgs, MetadataArgs, _check_metadata_arguments, _chunk_size, _handle_max_apps
from .args import calculate_nchunks
from .checksums import check_valid_checksum
from .constants import BLOSC_MAX_TYPESIZE
from .defaults import DEFAULT_MAX_APP_CHUNKS
from .exceptions import MetadataSectionTooSmall, NoSuchSerializer
from .headers import check_range
from .serializers import SERIALIZERS_LOOKUP, Serializer

_FILTERS = {0: "none", 1: "shuffle", 2: "bitshuffle"}
#: Fewer bytes than this are not worth starting threads.
_MANY = 4 << 20

#: Half of a surrogate pair in JSON.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_REASONS: dict[str, type[RuntimeError]] = {
    "digest": exceptions.ChecksumMismatch,
    "space": exceptions.NotEnoughSpace,
    "no metadata": exceptions.NoMetadataFound,
    "same metadata": exceptions.NoChangeInMetadata,
    "metadata size": exceptions.MetadataSectionTooSmall,
}


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn errors of the engine into the exceptions of bloscpack, where it has one."""
    try:
        yield
    except Exception as error:
        kind = _REASONS.get(getattr(error, "reason", ""))
        if kind is None:
            raise
        raise kind(str(error)) from error


def compression(blosc_args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of :func:`blpk.compress`."""
    check_range("typesize", blosc_args["typesize"], 1, BLOSC_MAX_TYPESIZE)
    shuffle = int(blosc_args["shuffle"])
    if shuffle not in _FILTERS:
        raise ValueError(f"'shuffle' is {shuffle}, expected 0, 1 or 2")
    return {
        "typesize": int(blosc_args["typesize"]),
        "clevel": int(blosc_args["clevel"]),
        "filters": _FILTERS[shuffle],
        "codec": blosc_args["cname"],
    }


def compress(data: Any, blosc_args: Mapping[str, Any]) -> bytes:
    """Return `data` as a chunk."""
    return blpk.compress(data, **compression(blosc_args))


def decompress(chunk: Any) -> bytes:
    """Return the data of a chunk."""
    return blpk.decompress(chunk)


def threads(nbytes: int | None) -> int | None:
    """Return how many threads work on `nbytes` bytes: one, or one per core."""
    return None if nbytes is None or nbytes >= _MANY else 1


def serializer(name: bytes) -> Serializer:
    """Return the format of metadata with this name.

    Raises
    ------
    NoSuchSerializer
        If there is none.
    """
    if name not in SERIALIZERS_LOOKUP:
        raise NoSuchSerializer(f"serializer {name!r} does not exist")
    return SERIALIZERS_LOOKUP[name]


def layout(
    nbytes: int | None,
    chunk_size: int | str,
    metadata: Any,
    blosc_args: Mapping[str, Any] | None,
    bloscpack_args: Mapping[str, Any] | None,
    metadata_args: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the keyword arguments of the engine for a file of `nbytes` bytes, None if unknown."""
    bloscpack_args = bloscpack_args or BloscpackArgs()
    check_valid_checksum(bloscpack_args["checksum"])
    arguments = compression(blosc_args or BloscArgs())
    arguments |= {"offsets": bool(bloscpack_args["offsets"]), "checksum": bloscpack_args["checksum"]}
    spare = bloscpack_args["max_app_chunks"]
    if nbytes is None:
        arguments["chunk_size"] = _chunk_size(chunk_size)
        # The engine has the default, too.
        if spare is not DEFAULT_MAX_APP_CHUNKS:
            if callable(spare):
                raise TypeError("'max_app_chunks' is a callable, expected a number because the size is not known yet")
            arguments["max_app_chunks"] = _handle_max_apps(bloscpack_args["offsets"], 0, spare)
    else:
        nchunks, size, _ = calculate_nchunks(nbytes, chunk_size)
        # An empty file has the chunk size 0, which is no argument.
        arguments["chunk_size"] = size or 1
        arguments["max_app_chunks"] = _handle_max_apps(bloscpack_args["offsets"], nchunks, spare)
    if metadata is not None:
        arguments |= _metadata(metadata, metadata_args or MetadataArgs())
    return arguments


def _metadata(metadata: Any, metadata_args: Mapping[str, Any]) -> dict[str, Any]:
    _check_metadata_arguments(metadata_args)
    given = MetadataArgs(**metadata_args)
    if given.magic_format != b"JSON":
        raise NoSuchSerializer(f"serializer {given.magic_format!r} does not exist, expected b'JSON'")
    text = serializer(given.magic_format).dumps(metadata)
    if _SURROGATE.search(text):
        _refuse_lone_surrogates(text)
    check_range("meta_level", given.meta_level, 0, 9)
    reserved = given.effective_max_meta_size(len(text))
    if reserved < 0:
        raise MetadataSectionTooSmall(f"'max_meta_size' is {reserved}, expected 0 or more")
    check_range("max_meta_size", reserved, 0, (1 << 32) - 1)
    return {
        "metadata": text,
        "meta_checksum": given.meta_checksum,
        "meta_codec": given.meta_codec,
        "meta_level": given.meta_level,
        "max_meta_size": reserved,
    }


def _refuse_lone_surrogates(text: str) -> None:
    """Raise ``ValueError`` if JSON has half of a surrogate pair, which the engine would replace."""
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the metadata contains a lone surrogate: {error}") from error


def size_of(path: str) -> int | None:
    """Return the size of a regular file, None for a pipe or a device."""
    return os.path.getsize(path) if os.path.isfile(path) else None


def pack_to_file(source: Any, path: str, nbytes: int | None, arguments: Mapping[str, Any]) -> tuple[int, int]:
    """Pack a file or a buffer to a file, and return the sizes of both."""
    with translated():
        return _core.pack_to_file(source, path, threads=threads(nbytes), **arguments)


def pack_to_bytes(source: Any, nbytes: int, arguments: Mapping[str, Any]) -> bytes:
    """Pack a buffer to bytes."""
    with translated():
        return _core.pack_to_bytes(source, threads=threads(nbytes), **arguments)


def unpack_to_file(source: Any, path: str, nbytes: int | None) -> None:
    """Unpack a file or a buffer to a file."""
    with translated():
        _core.unpack_to_file(source, path, threads=threads(nbytes))


def unpack_to_bytes(source: Any, nbytes: int | None) -> bytes:
    """Unpack a file or a buffer to bytes."""
    with translated():
        return _core.unpack_to_bytes(source, threads=threads(nbytes))


def unpack_into(source: Any, out: Any, nbytes: int | None) -> None:
    """Unpack a file or a buffer into memory, which must have the size of the data."""
    with translated():
        _core.unpack_into(source, out, threads=threads(nbytes))


def append_to_file(path: str, source: Any, nbytes: int | None, **arguments: Any) -> tuple[int, int, int]:
    """Append a file or a buffer to a file. Return its size before and after, and the size of the new data."""
    with translated():
        return _core.append_to_file(path, source, threads=threads(nbytes), **arguments)
