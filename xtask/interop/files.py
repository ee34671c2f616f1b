"""Bloscpack files exchanged between blpk and bloscpack.

Every combination of checksum, offsets, metadata and codec on several sizes. The reference reads blpk's files, blpk
reads the reference's, and both must print the same about each of them, line by line.
"""

import itertools
import json
import os
import random

import bloscpack

from _common import CODECS, KINDS, Tally, batches, blpk, in_parallel, plain, read, sampled, work_folder, write
from _reference import reference, unpack

CHECKSUMS = ["None", "adler32", "crc32", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
SIZES = [0, 1, 17, 1000, 65_536, 200_003]
CHUNK_SIZES = ["1M", "64K", "10000", "1.5K", "4096B"]

# All kinds of JSON values. `info` and `decompress` must print them as Python does.
METADATA = [
    None,
    {"dtype": "float64", "shape": [1024], "others": []},
    {"z": 1, "a": {"nested": [1, 2.5, -3e300, True, None]}, "ü": "snow ☃ and 𝄞", "quote'": 'a "b" \\ \n \t \x07'},
    {
        "long": "lorem ipsum " * 30,
        "numbers": list(range(60)),
        "big": 2**70,
        "small": 1e-7,
        "deep": [[[[["x"] * 9] * 3]]],
    },
    ["just", "a", "list", 1.0, 1e16, 123456789.123, -0.0],
    {},
    [],
    "a string",
    0,
    False,
]


class Case:
    """One set of parameters and its data, reproducible from its number."""

    def __init__(self, number, checksum, offsets, with_metadata, codec, nbytes):
        rng = random.Random(number)
        self.number, self.checksum, self.offsets, self.codec, self.nbytes = number, checksum, offsets, codec, nbytes
        self.metadata = rng.choice(METADATA[1:]) if with_metadata else None
        self.kind = rng.choice(list(KINDS))
        self.chunk_size = rng.choice(CHUNK_SIZES)
        self.typesize = rng.choice([1, 2, 4, 8, 8, 8, 3, 255])
        self.level = rng.randrange(9)  # 9 is zstd's 22, which adds nothing here but time
        self.shuffle = rng.random() < 0.7
        self.threads = rng.choice([1, 2])
        self.plain = plain(self.kind, nbytes, self.typesize, number)

    def __str__(self):
        return (
            f"#{self.number} {' '.join(map(str, self.options('METADATA')))} on {self.nbytes} bytes of {self.kind}, "
            f"metadata {json.dumps(self.metadata)[:40]}"
        )

    def options(self, metadata_file):
        options = ["-c", self.codec, "-l", self.level, "-t", self.typesize, "-z", self.chunk_size, "-k", self.checksum]
        options += [] if self.shuffle else ["-s"]
        options += [] if self.offsets else ["--no-offsets"]
        return options + (["-m", metadata_file] if self.metadata is not None else [])


def reference_writes(case, path):
    """Writes the reference's file of a case through its library, which needs no process start."""
    bloscpack.pack_bytes_to_file(
        case.plain,
        path,
        chunk_size=int(case.chunk_size) if case.chunk_size.isdigit() else case.chunk_size,
        metadata=case.metadata,
        blosc_args=bloscpack.BloscArgs(case.typesize, case.level, case.shuffle, case.codec),
        bloscpack_args=bloscpack.BloscpackArgs(offsets=case.offsets, checksum=case.checksum),
        metadata_args=bloscpack.MetadataArgs(),
    )


def ours(job):
    """Returns all runs of blpk for one case: write, and read and describe both files."""
    name, case = job
    compress = blpk("-n", case.threads, "c", *case.options(name + ".json"), name, name + ".ours.blp")
    runs = {}
    for end in (".ours.blp", ".theirs.blp"):
        decompress = blpk("-n", case.threads, "d", name + end, name + end + ".out")
        runs[end] = (decompress, read(name + end + ".out"), blpk("info", name + end))
    return compress, runs


def check(tally, name, case, compress, runs):
    """Compares blpk's results with the reference's on the same files."""
    tally.check(compress.ok and not compress.stdout and not compress.stderr, f"compress {case}", compress)
    plain, metadata = unpack(name + ".ours.blp") if os.path.exists(name + ".ours.blp") else (None, None)
    tally.check(plain == case.plain, f"the reference reads {case}", repr(plain)[:200])
    tally.check(metadata == case.metadata, f"the reference reads the metadata of {case}", repr(metadata)[:200])
    for end, (decompress, plain, info) in runs.items():
        tally.check(decompress.ok and plain == case.plain, f"decompress {end} {case}", decompress)
        # Decompressing prints the metadata, and nothing else by default.
        printed = reference("d", name + end, name + ".again") if os.path.exists(name + end) else None
        if printed:
            os.unlink(name + ".again")
            tally.check(
                decompress.stdout == printed.stdout, f"metadata printed for {end} {case}", lines(decompress, printed)
            )
            described = reference("info", name + end)
            tally.check(info.ok and info.stdout == described.stdout, f"info {end} {case}", lines(info, described))


def lines(ours, theirs):
    """Returns the first line in which two texts differ."""
    pairs = itertools.zip_longest(
        ours.stdout.decode(errors="replace").splitlines(), theirs.stdout.decode().splitlines()
    )
    different = [(a, b) for a, b in pairs if a != b]
    return f"{different[0][0]!r}, the reference {different[0][1]!r}" if different else f"{ours}, line ends differ"


def main():
    tally = Tally()
    parameters = itertools.product(CHECKSUMS, [True, False], [False, True], CODECS, SIZES)
    with work_folder() as folder:
        for batch in batches(sampled(parameters)):
            work = []
            for case in (Case(number, *parameters) for number, parameters in batch):
                name = os.path.join(folder, str(case.number))
                write(name, case.plain)
                write(name + ".json", json.dumps(case.metadata).encode() + b"\n")
                reference_writes(case, name + ".theirs.blp")
                work.append((name, case))
            for (name, case), (compress, runs) in zip(work, in_parallel(ours, work)):
                check(tally, name, case, compress, runs)
                for end in ("", ".json", ".ours.blp", ".theirs.blp", ".ours.blp.out", ".theirs.blp.out"):
                    if os.path.exists(name + end):
                        os.unlink(name + end)
    tally.finish()


if __name__ == "__main__":
    main()
