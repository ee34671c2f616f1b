// Texts of items, comma-separated values, and items with fields.

import assert from "node:assert/strict";
import test from "node:test";
import { open } from "blpk";

const encoder = new TextEncoder();
const bytesOf = (text) => encoder.encode(text);

/** Returns a `.npy` file. */
function npy(descr, shape, items) {
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': (${shape.map((length) => `${length},`).join(" ")}), }\n`;
  const head = new Uint8Array([0x93, ...bytesOf("NUMPY"), 1, 0, header.length & 255, header.length >> 8, ...bytesOf(header)]);
  const bytes = items instanceof Uint8Array ? items : new Uint8Array(items);
  const file = new Uint8Array(head.length + bytes.length);
  file.set(head);
  file.set(bytes, head.length);
  return file;
}

const text = async (opened, slice = "...") => new TextDecoder().decode(await opened.save(slice, "csv"));

/** Returns the characters of a text as NumPy stores them. */
const characters = (text) => new Uint8Array(Uint32Array.from(text, (character) => character.codePointAt(0)).buffer);

test("items with one field are bytes, wherever the field is", async () => {
  const big = await open(npy("[('x', '>f4')]", [2], [0x3f, 0xc0, 0, 0, 0x40, 0x20, 0, 0]));
  assert.deepEqual([...(await big.read()).data], [0x3f, 0xc0, 0, 0, 0x40, 0x20, 0, 0]);
  assert.deepEqual(await big.texts(), [["1.5"], ["2.5"]]);
  assert.equal(await text(big), "x\n1.5\n2.5\n");
  // Items of 7 bytes: no number of them fits an array of 32-bit floats.
  const padded = "{'names': ['x'], 'formats': ['<f4'], 'offsets': [2], 'itemsize': 7}";
  const descr = "[('', '|V2'), ('x', '<f4'), ('', '|V1')]";
  for (const kind of [descr, padded]) {
    const opened = await open(npy(kind, [3], new Uint8Array(21).fill(1))).catch((error) => error);
    if (opened instanceof Error) continue;
    assert.equal((await opened.read()).data.length, 21, kind);
    assert.equal((await opened.texts()).length, 3, kind);
  }
});

test("saved texts are whole, shown ones are cut", async () => {
  const long = `${"ä".repeat(300)}END`;
  const opened = await open(npy("'<U303'", [1], characters(long)));
  assert.equal(await text(opened), `f0\n${long}\n`);
  assert.deepEqual(await opened.texts(), [[`${"ä".repeat(256)}…`]]);
  const bytes = await open(npy("'|V200'", [1], new Uint8Array(200).fill(0xab)));
  assert.equal(await text(bytes), `f0\n${"ab".repeat(200)}\n`);
});

test("fields are those of blpk", async () => {
  const fields = await open(npy("[('n', 'u1'), ('v', 'u1', (2, 2))]", [2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  assert.equal(await text(fields), "n,v_0_0,v_0_1,v_1_0,v_1_1\n1,2,3,4,5\n6,7,8,9,10\n");
  assert.deepEqual(await fields.texts(), [["1", "[2 3 4 5]"], ["6", "[7 8 9 10]"]]);
  const plane = await open(npy("[('a', 'u1'), ('b', 'u1')]", [1, 2], [1, 2, 3, 4]));
  assert.equal(await text(plane), "a_0,b_0,a_1,b_1\n1,2,3,4\n");
  assert.equal(await text(await open(npy("'u1'", [], [7]))), "f0\n7\n");
  assert.equal(await text(await open(npy("'u1'", [5, 0], []))), '""\n');
});

test("quotes, newlines, empty texts and bytes that are no text stay as they are", async () => {
  const texts = ['a"b', "", "c\nd", "e,f", "", "g"];
  const opened = await open(npy("'<U3'", [6], characters(texts.map((one) => one.padEnd(3, "\0")).join(""))));
  assert.equal(await text(opened), 'f0\n"a""b"\n""\n"c\nd"\n"e,f"\n""\ng\n');
  assert.deepEqual((await opened.texts()).flat(), texts);
  const raw = await open(npy("'|S2'", [2], [0xff, 0xfe, 0x41, 0]));
  assert.deepEqual([...(await raw.save("...", "csv"))].slice(3), [0xff, 0xfe, 10, 0x41, 10]);
});

test("fields are found behind empty ones, and a byte order mark is a character", async () => {
  const words = (a, b) => [...characters(a.padEnd(2, "\0")), ...characters(b.padEnd(4, "\0"))];
  const opened = await open(npy("[('a', '<U2'), ('b', '<U4')]", [5], [...words("", "x,y"), ...words("", ""), ...words("\ufeffa", 'q"'), ...words(",", ""), ...words("\n", ",")]));
  assert.deepEqual(await opened.texts(), [["", "x,y"], ["", ""], ["\ufeffa", 'q"'], [",", ""], ["\n", ","]]);
});

test("what has no text, or no items, is refused", async () => {
  await assert.rejects(text(await open(npy("'<f16'", [1], new Uint8Array(16)))), { kind: "unsupported", message: "items of dtype <f16 have no text" });
  const array = { zarr_format: 2, shape: [1], chunks: [1], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  const group = await open([[".zgroup", bytesOf('{"zarr_format": 2}')], ["a/.zarray", bytesOf(JSON.stringify(array))], ["a/0", bytesOf("x")]]);
  assert.equal(group.kind, "group");
  await assert.rejects(group.save("...", "csv"), { kind: "invalid" });
  await assert.rejects(group.member(5), { kind: "invalid" });
});

test("a million lines are made in parts", async () => {
  const items = new Uint8Array(1 << 20).map((_, at) => at % 251);
  const lines = (await text(await open(npy("'u1'", [items.length], items)))).split("\n");
  assert.equal(lines.length, items.length + 2);
  assert.deepEqual([lines[0], lines[1], lines[1000], lines.at(-2)], ["f0", "0", String(999 % 251), String((items.length - 1) % 251)]);
});

test("texts that are asked for at once do not mix", async () => {
  const opened = await open(npy("'<u4'", [200_000], new Uint8Array(Uint32Array.from({ length: 200_000 }, (_, at) => at).buffer)));
  const [first, failed, second, saved] = await Promise.all([opened.texts("0:150000"), opened.texts("x").catch((error) => error), opened.texts("5:8"), text(opened, "199998:")]);
  assert.equal(first.length, 150_000);
  assert.ok(first.every(([value], at) => value === String(at)));
  assert.equal(failed.kind, "invalid");
  assert.deepEqual([second.flat(), saved], [["5", "6", "7"], "f0\n199998\n199999\n"]);
});

test("lines may have many fields", async () => {
  const opened = await open(npy("'u1'", [1, 300_000], new Uint8Array(300_000).fill(7)));
  const lines = (await text(opened)).trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0].endsWith(",f0_299999"), lines[1].length], [2, true, 599_999]);
});
