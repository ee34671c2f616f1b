"""Delta pipelines written by blpk, decoded by C-Blosc2 with one and several threads.

Pipelines of up to six filters with delta at every position, alone, twice and after lossy filters. blpk has to write
those with one delta that runs first, and C-Blosc2 has to return the input with 1, 2 and 4 threads. blpk has to refuse
all others: C-Blosc2 decodes them to other data, most of them only intermittently.
"""

import itertools
import os

import blosc2

from _common import Tally, blpk, in_parallel, plain, read, sampled, work_folder, write

OTHERS = ["shuffle", "bitshuffle", "bytedelta"]
# These parameters keep all bits, so that the input can be compared.
LOSSY = {1: [], 4: ["trunc-prec:23", "int-trunc:32"], 7: [], 8: ["trunc-prec:52", "int-trunc:64"], 16: []}
TYPESIZES = list(LOSSY)
# The first gives a few large blocks, slow enough for threads to overlap. The others give many blocks and a short last
# one.
BLOCKSIZES = [262_144, 20_000, 65_537]
NBYTES = 1_500_003
REPEATS = 3


def pipelines():
    """Yields every way to place up to two deltas among up to six filters."""
    for length in range(1, 7):
        for count in (0, 1, 2):
            for places in itertools.combinations(range(length), count):
                others = itertools.cycle(OTHERS)
                yield ["delta" if place in places else next(others) for place in range(length)]


def cases():
    """Yields (typesize, block size, filters)."""
    for typesize, blocksize in itertools.product(TYPESIZES, BLOCKSIZES):
        for filters in pipelines():
            yield typesize, blocksize, filters
            if len(filters) < 6 and filters[0] == "delta":
                yield from ((typesize, blocksize, [lossy, *filters]) for lossy in LOSSY[typesize])


def is_portable(typesize, filters):
    """Returns whether blpk has to write these filters: one delta, and no filter before it that must be undone."""
    undone = [f for f in filters if "trunc" not in f and not (f == "shuffle" and typesize == 1)]
    return "delta" not in filters or (filters.count("delta") == 1 and undone[0] == "delta")


def encode(folder, number, typesize, blocksize, filters):
    name = write(os.path.join(folder, str(number)), plain("ramp", NBYTES, typesize, number))
    options = ["-t", typesize, "--blocksize", blocksize, "-c", "lz4", "-l", 1, "--format", "blosc2"]
    options += itertools.chain.from_iterable(("--filter", filter) for filter in filters)
    encoded = blpk("chunk", "encode", *options, name, name + ".chunk")
    chunk = read(name + ".chunk")
    for path in (name, name + ".chunk"):
        if os.path.exists(path):
            os.unlink(path)
    return encoded, chunk


def check_case(tally, number, case, encoded, chunk):
    typesize, _, filters = case
    if not is_portable(typesize, filters):
        words = "C-Blosc2 decodes" in str(encoded) and "first" in str(encoded)
        return tally.check(encoded.code == 1 and chunk is None and words, f"refuse {case}", encoded)
    if not tally.check(encoded.ok and chunk is not None, f"encode {case}", encoded):
        return False
    expected = plain("ramp", NBYTES, typesize, number)
    for nthreads in (1, 2, 4):
        for _ in range(1 if nthreads == 1 else REPEATS):
            same = blosc2.decompress2(chunk, nthreads=nthreads) == expected
            tally.check(same, f"C-Blosc2 reads {case} with {nthreads} threads")
    return True


def main():
    tally = Tally()
    with work_folder() as folder:
        numbered = list(sampled(cases()))
        done = in_parallel(lambda case: encode(folder, case[0], *case[1]), numbered)
        for (number, case), (encoded, chunk) in zip(numbered, done):
            check_case(tally, number, case, encoded, chunk)
    tally.finish()


if __name__ == "__main__":
    main()
