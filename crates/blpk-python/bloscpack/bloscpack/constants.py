"""Fixed numbers and names of the file format."""

from __future__ import annotations

from collections import OrderedDict

FORMAT_VERSION = 3
MAGIC = b"blpk"
EXTENSION = ".blp"

#: Sizes of headers in bytes.
BLOSC_HEADER_LENGTH = 16
BLOSCPACK_HEADER_LENGTH = 32
METADATA_HEADER_LENGTH = 32

MAX_FORMAT_VERSION = 0xFF
MAX_CHUNKS = (1 << 63) - 1
MAX_META_SIZE = (1 << 32) - 1
MIN_CLEVEL = 0
MAX_CLEVEL = 9
#: Limits of a Blosc chunk: bytes of an item, and uncompressed bytes.
BLOSC_MAX_TYPESIZE = 255
BLOSC_MAX_BUFFERSIZE = (1 << 31) - 1 - BLOSC_HEADER_LENGTH

#: Units of sizes as people write them, smallest first.
SUFFIXES: OrderedDict[str, int] = OrderedDict((unit, 1 << (10 * power)) for power, unit in enumerate("BKMGT"))

CNAME_AVAIL = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]
#: Codecs by their number in the flags of a chunk.
CNAME_MAPPING = dict(enumerate(["blosclz", "lz4", "snappy", "zlib", "zstd"]))
