"""Writes python_texts.json: what Python (3.8 to 3.11) prints and reads, for the tests of src/python.rs and src/size.rs.

Run it with a Python that has bloscpack 0.16.0: `python python_texts.py > python_texts.json`.
"""

import collections
import collections.abc
import json
import pprint
import random

collections.MutableMapping = collections.abc.MutableMapping
from bloscpack.pretty import double_pretty_size, pretty_size, reverse_pretty  # noqa: E402

SUFFIXES = "BKMGT"


def sizes():
    yield from range(0, 2049)
    for power in range(11, 64):
        for offset in (-2, -1, 0, 1, 2, 3):
            yield 2**power + offset
    for eighth in range(1, 64, 2):  # exact ties of round(x, 2): odd multiples of 1/8
        yield from (eighth * 1024 // 8, eighth * 1024**2 // 8, eighth * 1024**3 // 8)
    rng = random.Random(1)
    for _ in range(500):
        yield rng.getrandbits(rng.randrange(1, 63))


SIZE_TEXTS = """0 1 -1 +1 007 1_000 1__0 _1 1_ 10B 1K 1M 1.5K 0.5G 1T 0.5B 0.1B 1e3B 1E3K 1e400K -1K -0.5B -1.5K nanK infK -infT
1k 1.5 x xK K B 1KB .5K 5.K .K 1_0B 1_0.0_1K 1__0K _1K 1_K 1_.5K 1._5K 1e_3K 1e1_0B +1.5K ++1K 1e+2B 1e-2K 1e+B eK 0x10 0x10B 1,5K
2147483631 2147483632 2G 1.9999999999G 3G max Max 1e30T 99999999999999999999 - -- NaNB InfinityK infinityK iNfK 1e5 -0 -0K --1""".split()
SIZE_TEXTS += [" 2K", "2 K", " 2 ", "\t2\n", "2\u00a0K", " ", "  K", "2K ", "'", "\"", "'\"K", "\u00e9", "\u00e9K", "a\nb", "\x00K"]


def parse_size(text):
    """What the original's `-z` does with a value."""
    try:
        if text == "max":
            value = 2147483631
        elif text[-1] in SUFFIXES:
            value = reverse_pretty(text)
        else:
            value = int(text)
    except Exception as error:  # noqa: BLE001
        return {"error": str(error), "type": type(error).__name__}
    return {"value": str(value)}


WORDS = "a of the chunk block stream shuffle header compressed \u00e9t\u00e9 \u65e5\u672c\u8a9e \U0001f600 it's \"quoted\" back\\slash tab\there".split(" ")
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
SPACES = [" ", "  ", "\t", "\x1f", "\u00a0", "\u2003", "\u3000"]


def text(rng, longest):
    pieces = []
    while sum(map(len, pieces)) < rng.randrange(longest):
        pieces.append(rng.choice(WORDS))
        pieces.append(rng.choice(BREAKS) if rng.random() < 0.1 else rng.choice(SPACES) if rng.random() < 0.3 else " ")
    return "".join(pieces)


def value(rng, depth):
    kind = rng.randrange(9 if depth else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.choice([0, -1, 2**63, -(2**64), 10**30, rng.getrandbits(60)])
    if kind == 2:
        return rng.choice([0.0, -0.0, 1e16, 1.5e-7, 0.1, float("nan"), float("inf"), float("-inf"), rng.random() * 1e9])
    if kind in (3, 4, 5):
        return text(rng, rng.choice([1, 10, 60, 90, 100, 300]))
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(8))]
    return {text(rng, rng.choice([5, 20, 60])): value(rng, depth - 1) for _ in range(rng.randrange(6))}


def values():
    yield from [None, True, False, 0, -1, 1.0, "", [], {}, "x", "it's", [[]], [{}], {"a": {}}, {"": ""}]
    yield {"b": 1, "a": [1, 2], "B": None, "\u00e9": 1.5, "_": True}
    for width in range(80, 96):
        yield "x" * width
        yield "x" * (width // 2) + " " + "y" * (width - width // 2)
        yield ["x" * width]
        yield {"k": "x" * width}
        yield {"k": ["x " * (width // 2), 1]}
        yield {"k" * width: 1, "l": 2}
        yield [1] * (width // 3)
        yield {"k": {"l": {"m": list(range(width))}}}
    yield "\n".join("line %d of a text" % i for i in range(10))
    yield {"text": "\n".join("line %d of a text" % i for i in range(10)), "z": "\n\n"}
    yield "word " * 100
    yield " " * 200
    yield "\x1c" * 60 + "x"
    yield "\x7f\x00\x01\u0300\u200b\u2028\ue000\U000e0001\ufeff\u00ad" * 8
    nested = "deep"
    for _ in range(60):
        nested = [nested]
    yield nested
    nested = {"deep": 1}
    for _ in range(40):
        nested = {"k": nested}
    yield nested
    rng = random.Random(2)
    for _ in range(400):
        yield value(rng, 4)


def main():
    table = {
        "pretty_size": [[str(n), pretty_size(n)] for n in sizes()],
        "double_pretty_size": [[str(n), double_pretty_size(n)] for n in (0, 1, 1000, 1024, 100000, 2**40)],
        "parse_size": [[text, parse_size(text)] for text in SIZE_TEXTS],
        "pformat": [[json.dumps(v), pprint.pformat(json.loads(json.dumps(v)), width=90)] for v in values()],
    }
    print("{")
    for last, (name, rows) in enumerate(table.items(), 1 - len(table)):
        print(" %s: [" % json.dumps(name))
        print(",\n".join("  " + json.dumps(row) for row in rows))
        print(" ]" if last == 0 else " ],")
    print("}")


main()
