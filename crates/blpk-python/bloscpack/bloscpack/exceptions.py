"""Exceptions of bloscpack. Damaged chunks raise :class:`blpk.DamagedError`, which is a ``ValueError``, too."""


class FileNotFound(OSError):
    """An input file is missing, or an output file is in the way."""


class NoSuchChecksum(ValueError):
    """No checksum has this name."""


class NoSuchCodec(ValueError):
    """No codec for metadata has this name."""


class NoSuchSerializer(ValueError):
    """No serializer for metadata has this name."""


class ChunkingException(BaseException):
    """The data needs more chunks than a header can count."""


class ChunkSizeTypeSizeMismatch(ValueError):
    """The chunk size is not a multiple of the item size of the array."""


class ChecksumMismatch(RuntimeError):
    """The stored digest differs from that of the data."""


class FormatVersionMismatch(RuntimeError):
    """The file has another version of the format."""


class ChecksumLengthMismatch(RuntimeError):
    """The digest of the new checksum has another length."""


class NoMetadataFound(RuntimeError):
    """The file has no metadata section."""


class NoChangeInMetadata(RuntimeError):
    """The new metadata equals the old one."""


class MetadataSectionTooSmall(RuntimeError):
    """The metadata needs more bytes than the section has."""


class NonUniformTypesize(RuntimeError):
    """The chunks of the file have no common typesize."""


class NotEnoughSpace(RuntimeError):
    """The offsets section has no entries left for the new chunks."""


class NotANumpyArray(RuntimeError):
    """The metadata does not describe an array."""


class ObjectNumpyArrayRejection(RuntimeError):
    """The dtype contains Python objects, which have no fixed bytes."""
