"""Writes python_vectors.jsonl: the results of Python and NumPy themselves, for tests/python.rs.

Run with Python 3.11 and NumPy 2.4: `python python_vectors.py > python_vectors.jsonl`. A line is [kind, input, output];
the output is null if Python refuses the input.
"""

import ast
import io
import json
import struct

import numpy as np
from numpy.lib import format as npy
from numpy.lib._format_impl import _write_array_header


def line(kind, given, result):
    print(json.dumps([kind, given, result], separators=(",", ":")))


def loads(text):
    try:
        return json.dumps(json.loads(text), separators=(",", ":"))
    except ValueError:
        return None


def dtype(descr):
    """repr as bloscpack takes it, and the item size."""
    try:
        d = np.dtype(ast.literal_eval(descr))
        return [repr(d.str if d.names is None else d.descr), d.itemsize]
    except (ValueError, SyntaxError, TypeError):
        return None


FLOATS = [
    0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 2 / 3, 100.0, 123456.789, 1e15, 1e16, 1e17, 123456789012345680.0, 9999999999999998.0,
    0.0001, 0.00012345, 0.00001, 0.000099999, 1e-5, 1.5e-7, 1e22, 1e23, 1e100, 1e300, 1.7976931348623157e308,
    2.2250738585072014e-308, 5e-324, 2.0**-44, 2.0**-1022, 2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64, 2.0**1023, 4.35, 0.3,
    2.675, 1e-7, 3.14159, 5e15, 4503599627370497.5, 4503599627370496.5, 1125899906842624.125, 1125899906842624.375,
    -1113178120592002.25, 2053637337633904.25, 111659285584252.125, 705625251271253.25, 876200932038.28125,
    9007199254740993.0, 1.0000000000000002, 0.9999999999999999, float("inf"), float("-inf"), float("nan"),
]

STRINGS = [
    "", "a", "it's", 'say "no"', "it's \"both\"", "back\\slash", "\n\r\t", "\x00\x07\x08\x0b\x0c\x1b\x1f", " ~\x7f",
    "\x80\x9f\xa0\xa1\xad\xae\xff", "é", "naïve ☃", "\u0300", "e\u0301", "\u0378", "\u1680", "\u2000\u200b\u200d\u2028\u2029",
    "\u202e", "\u3000", "\ue000", "\ufeff", "\ufffd\ufffe\uffff", "\U0001f600", "\U00010000", "\U000e0001", "\U0010ffff",
    "مرحبا", "日本語", "👩\u200d👩",
]

JSONS = [
    "null", " true ", "\t\r\nfalse", "0", "-0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "123456789012345678901234567890", "1.0", "-0.0", "1e5", "1E+5", "1e-7", "1e400", "-1e400", "0.1e1", "4.35", "NaN",
    "Infinity", "-Infinity", '""', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u00e9é\\u007f\x7f"', '"\\ud83d\\ude00😀"', '"\\u0000"',
    "[]", "[ ]", "{}", "{ }", "[1, [2, [3]]]", '{"b":1,"a":{"z":null,"y":[true,false,1.5]}}', '{"a":1,"b":2,"a":3}',
    '{"":0}', '{"é":1}', "[1e300, -0.0, 1e-07, 123456789012345678901234567890]",
    "", " ", "[", "]", "[1,]", "[,1]", "[1 2]", "{,}", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}", "{'a':1}", "{1:2}", "01", "-01",
    "1.", ".5", "1.e5", "1e", "1e+", "+1", "--1", "-", "0x10", "1_000", "nan", "inf", "-NaN", "+Infinity", "Infinit", "True", "nul",
    "tru", '"', '"\\', '"\\x41"', '"\\u12"', '"\\u12g4"', '"\\u+123"', '"\n"', '"\x1f"', "'a'", "1 1", "{} {}", "// c\n1", "\ufeff1",
    "\xa01", '"a" "b"', "[1]]",
]

DTYPES = [
    "'<f8'", "'>f8'", "'=f8'", "'|f8'", "'f8'", "'|b1'", "'<b1'", "'|i1'", "'>i1'", "'<u2'", "'>u8'", "'<f2'", "'<c8'", "'<c16'",
    "'|S5'", "'<S5'", "'|S0'", "'S'", "'<U3'", "'>U3'", "'|U3'", "'|V7'", "'V'", "'<M8'", "'<M8[ns]'", "'<M8[25s]'", "'>M8[1D]'",
    "'<M8[generic]'", "'<M8[\u03bcs]'", "'<m8[Y]'", "'<m8[2147483647as]'", "'|S2147483647'", "'<U536870911'",
    "[('a', '<i4'), ('b', '<f8')]", "[('p', [('x', '<f4'), ('y', '<f4')]), ('c', '|S3')]",
    "[('m', '<f8', (2, 3)), ('n', '<i2', (4,))]", "[('a', '<f4', 2)]", "[('a', '<f4', 1)]", "[('a', '<f4', ())]",
    "[('a', '<f4', [2, 3])]", "[('a', ('<f4', (2,)), (3,))]", "[('p', [('x', '<f4')], (2,))]", "[('a', '<f4', (0, 5))]",
    "[(('title', 'a'), '<i4')]", "[(('t', 'a'), '<i4', (2,))]", "[('é', '<i4')]", "[('\\u00e9\\n', '<i4')]", "[(\"it's\", '<i4')]",
    "[('\u200b', '<i4')]", "[(u'a', u'<i4')]", "[ ( 'a' , '<i4' , ) , ]", "[('a', [])]",
    "''", "'<'", "'x4'", "'<f3'", "'<i16'", "'b2'", "'M4'", "'f8[s]'", "'M8[s'", "'M8[]x'", "'M8[-1s]'", "'M8[2147483648s]'",
    "'S2147483648'", "'U536870912'", "'S-1'", "' f8'", "'f8 '", "[('a',)]", "[['a', '<f4']]", "[('a', '<f4', (-1,))]",
    "[('a', '<f4'), ('a', '<f4')]", "[(('b', 'a'), '<f4'), ('b', '<f4')]", "[(1, '<f4')]", "[('a', 4)]", "<f8", "f8", "[('a', '<f4'",
    "('<f8',)", "__import__('os')", "'<f8' + ''", "[x for x in 'ab']", "'\\x4'", "01",
]

NPYS = [
    ("'<f8'", [], False), ("'<f8'", [5], False), ("'<f8'", [10, 12], False), ("'<f8'", [10, 12], True), ("'|S3'", [0], False),
    ("'<M8[25s]'", [1, 2, 3, 4], True), ("[('a', '<i4'), ('b', '<f8', (2,))]", [50], False), ("[('é', '<i4')]", [3], False),
    ("[('☃', '<i4')]", [3, 4], True), ("[('it is a long field name', '<f4'), ('and another one', '<f4')]", [123456789], False),
    ("'>U10'", [12345678901, 0], True),
]

for x in FLOATS:
    line("float", struct.pack(">d", x).hex(), repr(x))
for s in STRINGS:
    line("str", s, repr(s))
for b in [b"", b"JSON", b"it's", b"\"'", b"\x00\x1f \x7f\xff\\\n\r\t"]:
    line("bytes", b.hex(), repr(b))
for text in JSONS:
    line("json", text, loads(text))
for descr in DTYPES:
    line("dtype", descr, dtype(descr))
for descr, shape, fortran_order in NPYS:
    out = io.BytesIO()
    descr_value = npy.dtype_to_descr(np.dtype(ast.literal_eval(descr)))
    _write_array_header(out, {"descr": descr_value, "fortran_order": fortran_order, "shape": tuple(shape)})
    line("npy", [descr, shape, fortran_order], out.getvalue().hex())
