"""Blosc2 chunks exchanged between C-Blosc2 and blpk.

Every combination of codec, level and filter pipeline, with type size, data size, kind of data, block size, split mode
and dictionary drawn from a fixed seed. The `blosc2` package must read blpk's chunks, blpk must read its chunks, and
both headers must agree. Also covers chunks that only a super-chunk produces: special values, ndlz, and those that
cannot be decoded on their own.

Some chunks of C-Blosc2 do not hold the data it was given, or are unreadable. `Case.is_written_right` has the rules.
blpk has to decode such chunks as C-Blosc2 does, where C-Blosc2 can.
"""

import itertools
import os
import random

import blosc2
import numpy

from _common import CODECS, KINDS, Tally, batches, blpk, in_parallel, plain, read, sampled, work_folder, write

TYPESIZES = [1, 2, 3, 4, 7, 8, 16, 17, 32, 255, 300]
BLOCKSIZES = [0, 0, 0, 100, 1000, 1024, 4096, 10_001, 65_536]
SPLIT_MODES = {
    "always": blosc2.SplitMode.ALWAYS_SPLIT,
    "never": blosc2.SplitMode.NEVER_SPLIT,
    "auto": blosc2.SplitMode.AUTO_SPLIT,
    "forward": blosc2.SplitMode.FORWARD_COMPAT_SPLIT,
}
FILTERS = {
    "none": blosc2.Filter.NOFILTER,
    "shuffle": blosc2.Filter.SHUFFLE,
    "bitshuffle": blosc2.Filter.BITSHUFFLE,
    "delta": blosc2.Filter.DELTA,
    "trunc-prec": blosc2.Filter.TRUNC_PREC,
    "bytedelta": blosc2.Filter.BYTEDELTA,
    "int-trunc": blosc2.Filter.INT_TRUNC,
}
# A lossy filter comes first, because it would otherwise cut bits of another filter's output. The number of bits is
# drawn.
PIPELINES = [
    ["none"],
    ["shuffle"],
    ["bitshuffle"],
    ["delta"],
    ["bytedelta"],
    ["trunc-prec"],
    ["int-trunc"],
    ["shuffle:2"],
    ["delta", "shuffle"],
    ["delta", "bitshuffle"],
    ["shuffle", "delta"],
    ["shuffle", "bytedelta"],
    ["bitshuffle", "bytedelta:1"],
    ["shuffle:3", "bytedelta:3"],
    ["trunc-prec", "shuffle"],
    ["trunc-prec", "delta"],
    ["int-trunc", "bitshuffle"],
    ["trunc-prec", "delta", "shuffle"],
    ["int-trunc", "shuffle", "bytedelta"],
    ["delta", "shuffle", "bytedelta:4"],
    ["none", "shuffle", "none", "bitshuffle", "shuffle"],
    ["bitshuffle", "shuffle:16", "delta", "bytedelta:16", "shuffle", "bitshuffle"],
]
# The bits of the flags byte, and of byte 31.
MEMCPYED = 0x02
DICTIONARY = 0x01
ZEROS = 0x10
MANTISSA = {4: 23, 8: 52}


class Case:
    """One set of parameters and its data, reproducible from its number."""

    def __init__(self, number, codec, level, pipeline):
        rng = random.Random(number)
        self.number, self.codec, self.level = number, codec, level
        sizes = {"trunc-prec": [4, 8], "int-trunc": [1, 2, 4, 8]}.get(pipeline[0], TYPESIZES)
        self.typesize = sizes[number % len(sizes)]
        bits = rng.choice([1, 3, 7, 8, -1, -2, -7])
        self.filters = [f"{name}:{bits}" if name in ("trunc-prec", "int-trunc") else name for name in pipeline]
        self.bits = bits
        self.blocksize = rng.choice(BLOCKSIZES)
        self.nbytes = self.draw_nbytes(rng)
        self.splitmode = rng.choice([None, *SPLIT_MODES])
        self.dict = codec in ("lz4", "lz4hc", "zstd") and rng.random() < 0.25
        self.kind = rng.choice(list(KINDS))
        self.nthreads = rng.choice([1, 1, 1, 3])  # of C-Blosc2, which then stores blocks in any order
        self.plain = plain(self.kind, self.nbytes, self.typesize, number)

    def draw_nbytes(self, rng):
        draw = rng.random()
        if draw < 0.2:
            return rng.randrange(33)
        if draw < 0.55:
            # Sizes near whole blocks and elements.
            near = rng.choice([32, 128, 255, 300, 1024, 4096, 32_768, 65_536, 3 * (self.blocksize or 4096)])
            return max(near + rng.choice([-self.typesize, -3, -1, 0, 0, 1, 5, self.typesize, 9 * self.typesize]), 0)
        if draw < 0.96:
            return rng.randrange(50_000)
        return 300_000 + rng.randrange(10)

    def __str__(self):
        return (
            f"#{self.number} {self.codec} -l {self.level} {' '.join(self.filters)} -t {self.typesize} blocksize "
            f"{self.blocksize} splitmode {self.splitmode} dict {self.dict} on {self.nbytes} bytes of {self.kind}"
        )

    def options(self):
        options = ["--format", "blosc2", "-c", self.codec, "-l", self.level, "-t", self.typesize]
        options += itertools.chain.from_iterable(("--filter", filter) for filter in self.filters)
        options += ["--blocksize", self.blocksize] if self.blocksize else []
        options += ["--dict"] if self.dict else []
        return options + (["--splitmode", self.splitmode] if self.splitmode else [])

    def slots(self):
        """Yields (id, meta byte) of each filter, for the header and for C-Blosc2."""
        machine_typesize = self.typesize if self.typesize <= 255 else 1
        for filter in self.filters:
            name, _, meta = filter.partition(":")
            if name != "none":
                yield FILTERS[name], int(meta or (machine_typesize if name == "bytedelta" else 0))

    def is_portable(self):
        """Returns whether blpk writes these filters: one delta before all filters that must be undone. See delta.py."""
        undone = [f for f in self.filters if "none" not in f and "trunc" not in f]
        undone = [f for f in undone if f != "shuffle" or 1 < self.typesize <= 255]
        return "delta" not in self.filters or undone.index("delta") == 0

    def whole_blocksize(self):
        """Returns the forced block size in whole elements. C-Blosc2 uses it, but writes another one to the header."""
        size = min(self.blocksize, self.nbytes)
        return size // self.typesize * self.typesize if size > self.typesize else size

    def expected(self):
        """Returns the data without the bits that a lossy filter removes."""
        name = self.filters[0].partition(":")[0]
        if name not in ("trunc-prec", "int-trunc"):
            return self.plain
        kept = MANTISSA[self.typesize] if name == "trunc-prec" else 8 * self.typesize
        cleared = kept - self.bits if self.bits >= 0 else -self.bits
        whole = self.nbytes // self.typesize * self.typesize
        items = numpy.frombuffer(self.plain[:whole], f"<u{self.typesize}")
        mask = numpy.array((1 << 8 * self.typesize) - (1 << cleared), f"<u{self.typesize}")
        return (items & mask).astype(f"<u{self.typesize}").tobytes() + self.plain[whole:]

    def is_written_right(self, chunk):
        """Returns whether a chunk of C-Blosc2 holds the data it should."""
        names = [name.partition(":")[0] for name in self.filters]
        effective = [name for name in names if name != "none"]
        blocksize = int.from_bytes(chunk[8:12], "little")
        several, memcpyed = self.nbytes > blocksize, chunk[2] & MEMCPYED
        unit = self.typesize if self.typesize in (1, 2, 4, 8) else 8 if self.typesize % 8 == 0 else 1
        lossy = names[0] in ("trunc-prec", "int-trunc")
        # The bytes after the last whole element of a block keep earlier contents of the buffer.
        tails = self.nbytes % blocksize % unit or blocksize % unit
        # With three or more filters C-Blosc2 overwrites its input while reading it, so a second read sees other data.
        overwritten = len(effective) >= 3 and (memcpyed or self.dict or several and "delta" in names)
        # The first block, the reference of delta for all others, is not truncated.
        untruncated = lossy and "delta" in names and several
        # If a dictionary did not help, its flag may remain set.
        no_dictionary = self.dict and memcpyed
        return not ("delta" in names and tails or lossy and tails or overwritten or untruncated or no_dictionary)


def c_blosc2(case):
    """Returns C-Blosc2's chunk of a case or None. C-Blosc2 gets a copy, because it may overwrite its input."""
    slots = list(case.slots())
    blocksize = case.whole_blocksize()
    if case.blocksize and blocksize < case.typesize:
        return None  # less than an element, which it writes but does not read
    parameters = {
        "codec": blosc2.Codec[case.codec.upper()],
        "clevel": case.level,
        "typesize": case.typesize,
        "filters": [filter for filter, _ in slots],
        "filters_meta": [meta for _, meta in slots],
        "blocksize": blocksize,
        "splitmode": SPLIT_MODES[case.splitmode or "forward"],
        "use_dict": case.dict,
        "nthreads": case.nthreads,
    }
    return blosc2.compress2(bytearray(case.plain), **parameters)


def c_blosc2_reads(chunk):
    """Returns the data, or the error."""
    try:
        return blosc2.decompress2(chunk)
    except Exception as error:
        return error


def both_ways(folder, case, theirs):
    """Runs blpk on one case. Returns the encode run, our chunk, and [run, data] of decoding theirs and some of ours."""
    name = os.path.join(folder, str(case.number))
    write(name + ".plain", case.plain)
    encoded = blpk("chunk", "encode", *case.options(), name + ".plain", name + ".ours")
    ours = read(name + ".ours")
    decoded = [decode(name, theirs) if theirs is not None else None]
    decoded.append(decode(name, ours) if ours and case.number % 4 == 0 else None)
    for end in (".plain", ".ours"):
        if os.path.exists(name + end):
            os.unlink(name + end)
    return encoded, ours, decoded


def decode(name, chunk):
    """Decodes a chunk with blpk. Returns the run and the data."""
    write(name + ".chunk", chunk)
    run = blpk("chunk", "decode", "-f", name + ".chunk", name + ".out")
    plain = read(name + ".out")
    for end in (".chunk", ".out"):
        if os.path.exists(name + end):
            os.unlink(name + end)
    return run, plain


def same_header(case, ours, theirs):
    """Returns whether all fields but the compressed size agree. Either may store data that the other compresses a bit.
    With a dictionary requested, one side may do without it, and then detect that all bytes are zero. Empty filter slots
    may be anywhere, and the Python package omits a bytedelta on bytes."""
    filters = lambda chunk: [(chunk[16 + i], chunk[24 + i]) for i in range(6) if chunk[16 + i]]
    expected = [(id.value, meta & 0xFF) for id, meta in case.slots()]
    on_bytes = [slot for slot in expected if case.typesize > 1 or slot[0] != FILTERS["bytedelta"].value]
    memcpyed = (ours[2] | theirs[2]) & MEMCPYED
    dictionary = DICTIONARY | ZEROS if case.dict else 0
    return (
        (ours[2] | memcpyed) == (theirs[2] | memcpyed)
        and ours[:2] == theirs[:2]
        and ours[3:12] == theirs[3:12]
        and filters(ours) == expected
        and filters(theirs) == on_bytes
        and ours[22:24] == theirs[22:24]
        and ours[30] == theirs[30]
        and (ours[31] | dictionary) == (theirs[31] | dictionary)
    )


def check_case(tally, case, theirs, encoded, ours, decoded):
    stored = case.level == 0 or case.nbytes < 32
    if not case.is_portable():
        tally.check(encoded.code == 1 and ours is None and "C-Blosc2 decodes" in str(encoded), f"refuse {case}", encoded)
        check_theirs(tally, case, theirs, None, decoded)
        return
    if not tally.check(encoded.ok and ours is not None and len(ours) >= 32, f"encode {case}", encoded):
        return
    expected = case.plain if ours[2] & MEMCPYED else case.expected()
    got = c_blosc2_reads(ours)
    tally.check(got == expected, f"C-Blosc2 reads {case}", repr(got)[:100])
    tally.check(len(ours) <= case.nbytes + 32, f"length {case}", f"{len(ours)} bytes")
    tally.check(not stored or ours[2] & MEMCPYED, f"stored {case}", ours[:32].hex())
    if decoded[1]:
        run, plain = decoded[1]
        tally.check(run.ok and plain == expected, f"decode ours {case}", run)
    check_theirs(tally, case, theirs, ours, decoded)


def check_theirs(tally, case, theirs, ours, decoded):
    if theirs is None:
        return
    read_back = c_blosc2_reads(theirs)
    run, plain = decoded[0]
    if case.is_written_right(theirs):
        meant = case.plain if theirs[2] & MEMCPYED else case.expected()
        tally.check(read_back == meant, f"C-Blosc2 reads its own {case}", repr(read_back)[:100])
        same = ours is None or same_header(case, ours, theirs)
        tally.check(same, f"header {case}", f"{(ours or b'')[:32].hex()} theirs {theirs[:32].hex()}")
    if not isinstance(read_back, Exception):
        tally.check(run.ok and plain == read_back, f"decode {case}", run)


def whole_chunks():
    """Yields (name, chunk, its data) for chunks that super-chunks produce."""
    for typesize, nitems in itertools.product([1, 2, 4, 8, 16, 40], [1, 7, 1000, 70_001]):
        for special in blosc2.SpecialValue:
            if special == blosc2.SpecialValue.NOT_SPECIAL or (
                special == blosc2.SpecialValue.NAN and typesize not in (4, 8)
            ):
                continue
            value = bytes(range(1, typesize + 1)) if special == blosc2.SpecialValue.VALUE else None
            schunk = blosc2.SChunk(chunksize=nitems * typesize, cparams={"typesize": typesize, "nthreads": 1})
            schunk.fill_special(nitems, special, value)
            chunk = schunk.get_chunk(0)
            # Uninitialized data is undefined; blpk returns zeros.
            uninit = special == blosc2.SpecialValue.UNINIT
            plain = bytes(nitems * typesize) if uninit else schunk.decompress_chunk(0)
            yield f"{special.name} of {nitems} items of {typesize} bytes", chunk, plain
    for codec, shape in itertools.product(["lz4", "zstd"], [(1000,), (40, 50), (7, 9, 11)]):
        array = numpy.arange(numpy.prod(shape), dtype="<f8").reshape(shape)
        ndarray = blosc2.asarray(array, cparams={"codec": blosc2.Codec[codec.upper()], "nthreads": 1})
        yield f"b2nd {codec} {shape}", ndarray.schunk.get_chunk(0), ndarray.schunk.decompress_chunk(0)
    image = numpy.add.outer(numpy.arange(100) // 9, numpy.arange(80) // 7).astype("u1")
    for meta, blocks in itertools.product([4, 8], [(32, 32), (50, 40), (13, 17)]):
        cparams = {"codec": blosc2.Codec.NDLZ, "codec_meta": meta, "filters": [], "filters_meta": [], "nthreads": 1}
        ndarray = blosc2.asarray(image, chunks=(64, 64), blocks=blocks, cparams=cparams)
        for number in range(ndarray.schunk.nchunks):
            name = f"ndlz {meta} {blocks} chunk {number}"
            yield name, ndarray.schunk.get_chunk(number), ndarray.schunk.decompress_chunk(number)


def unrounded_chunks():
    """Yields (name, chunk, its data) for chunks whose header has a block size that C-Blosc2 rounded for the blocks.

    C-Blosc2 itself reads few of them, and those with leftover bytes of its buffers. blpk has to return the original
    input.
    """
    splitmode = blosc2.SplitMode.ALWAYS_SPLIT
    for typesize, blocksize, codec in itertools.product(range(2, 17), [127, 128, 1001, 4099], CODECS):
        for nbytes, pipeline in itertools.product([127, 3 * blocksize + 1], [[], ["shuffle"], ["delta", "shuffle"]]):
            filters = [FILTERS[name] for name in pipeline]
            given = plain("ramp", nbytes, typesize, typesize)
            chunk = blosc2.compress2(
                bytearray(given),
                codec=blosc2.Codec[codec.upper()],
                clevel=2,
                typesize=typesize,
                blocksize=blocksize,
                filters=filters,
                filters_meta=[0] * len(filters),
                splitmode=splitmode,
                nthreads=1 + nbytes % 2,
            )
            if int.from_bytes(chunk[8:12], "little") % typesize and not chunk[2] & MEMCPYED:
                tails = {"delta"} & set(pipeline) and nbytes % typesize
                if not tails:
                    yield f"blocks of {blocksize} {codec} {pipeline} -t {typesize} on {nbytes} bytes", chunk, given
    # The reported case: blosclz splits it by default.
    given = (numpy.arange(64, dtype="<u2") * 3).tobytes()[:127]
    yield "127 bytes", blosc2.compress2(given, clevel=2, typesize=2, blocksize=128, codec=blosc2.Codec.BLOSCLZ), given


def lost_chunks():
    """Yields (name, chunk, words of the error) for chunks that cannot be decoded on their own."""
    array = numpy.linspace(0, 1, 64 * 64).reshape(64, 64)
    for filter, words in [(blosc2.Filter.NDCELL, "ndcell"), (blosc2.Filter.NDMEAN, "ndmean")]:
        cparams = {"filters": [filter], "filters_meta": [4], "nthreads": 1}
        ndarray = blosc2.asarray(array, chunks=(32, 32), blocks=(16, 16), cparams=cparams)
        yield filter.name, ndarray.schunk.get_chunk(0), words
    for codec in (blosc2.Codec.ZFP_ACC, blosc2.Codec.ZFP_PREC, blosc2.Codec.ZFP_RATE):
        cparams = {"codec": codec, "codec_meta": 20, "filters": [], "filters_meta": [], "nthreads": 1}
        cparams["splitmode"] = blosc2.SplitMode.NEVER_SPLIT
        ndarray = blosc2.asarray(array, chunks=(32, 32), blocks=(16, 16), cparams=cparams)
        yield codec.name, ndarray.schunk.get_chunk(0), codec.name.lower()


def sampled_values(cases):
    return (case for _, case in sampled(cases))


def main():
    tally = Tally()
    blosc2.set_nthreads(1)
    parameters = itertools.product(range(3), CODECS, range(10), PIPELINES)
    with work_folder() as folder:
        for batch in batches(sampled(parameters)):
            cases = [Case(number, *parameters) for number, (_, *parameters) in batch]
            theirs = [c_blosc2(case) for case in cases]
            work = list(zip([folder] * len(cases), cases, theirs))
            for (_, case, their_chunk), done in zip(work, in_parallel(lambda w: both_ways(*w), work)):
                check_case(tally, case, their_chunk, *done)
        name = os.path.join(folder, "whole")
        for what, chunk, expected in itertools.chain(whole_chunks(), sampled_values(unrounded_chunks())):
            run, plain = decode(name, chunk)
            tally.check(run.ok and plain == expected, f"decode {what}", run)
        for what, chunk, words in lost_chunks():
            run, plain = decode(name, chunk)
            tally.check(run.code == 1 and plain is None and words in str(run), f"refuse {what}", run)
            run = blpk("chunk", "info", "--json", write(name, chunk))
            tally.check(run.ok, f"describe {what}", run)
    tally.finish()


if __name__ == "__main__":
    main()
