// Chunks: golden ones, malformed ones, and round trips.

import assert from "node:assert/strict";
import test from "node:test";
import { chunkSizes, compress, compressSync, decompress, decompressSync, load } from "blpk";
import * as small from "blpk/decode";
import { archive, manifest, sha256 } from "./golden.mjs";

test("every golden chunk gives the recorded bytes, in both builds", async () => {
  const items = manifest("chunks").items;
  assert.equal(items.length, 585);
  let decoded = 0;
  for (const item of items.filter((item) => item.status === "must")) {
    const chunk = archive("chunks").get(item.file);
    // Uninitialised chunks hold any bytes.
    if (item.plain_sha256 === undefined) continue;
    const plain = await decompress(chunk);
    assert.equal(sha256(plain), item.plain_sha256, item.file);
    assert.equal(sha256(await small.decompress(chunk)), item.plain_sha256, item.file);
    const { nbytes, cbytes, typesize } = await chunkSizes(chunk.slice(0, 32));
    assert.deepEqual([nbytes, cbytes, typesize], [item.nbytes, chunk.length, item.header.typesize], item.file);
    decoded++;
  }
  assert.ok(decoded > 560, `${decoded} chunks`);
});

test("no malformed chunk breaks the module, and damage is refused", async () => {
  const { items } = manifest("chunks-malformed");
  assert.equal(items.length, 2899);
  const all = archive("chunks-malformed").get("malformed.bin");
  let refused = 0;
  for (const item of items) {
    const chunk = all.subarray(item.offset, item.offset + item.length);
    const what = `${item.base} ${item.mutation}`;
    try {
      await decompress(chunk, { maxBytes: 64 << 20 });
      assert.ok(item.c_blosc2 >= 0, `${what}: accepted`);
    } catch (error) {
      assert.notEqual(error.kind, "broken", what);
      assert.ok(error.kind, `${what}: ${error}`);
      refused++;
    }
  }
  assert.ok(refused > 2200, `${refused} refused`);
});

test("all codecs and filters round-trip, with typed arrays", async () => {
  const plain = Float64Array.from({ length: 50_000 }, (_, index) => Math.sin(index / 100));
  for (const codec of ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]) {
    for (const filters of ["none", "shuffle", "bitshuffle"]) {
      for (const format of ["blosc1", "blosc2"]) {
        const chunk = await compress(plain, { codec, filters, format, clevel: 3 });
        assert.equal((await chunkSizes(chunk)).typesize, 8);
        assert.deepEqual(await decompress(chunk, Float64Array), plain, `${codec} ${filters} ${format}`);
      }
    }
  }
  const filters = await compress(plain, { format: "blosc2", filters: "delta,shuffle" });
  assert.deepEqual(await decompress(filters, Float64Array), plain);
});

test("chunks go into arrays of the caller, and limits hold", async () => {
  await load();
  const plain = new Uint8Array(100_000).fill(7);
  const chunk = compressSync(plain.buffer);
  const into = new Uint8Array(100_000);
  assert.equal(decompressSync(chunk, { into }), into);
  assert.deepEqual(into, plain);
  assert.throws(() => decompressSync(chunk, { into: new Uint8Array(100_001) }), { kind: "invalid" });
  assert.throws(() => decompressSync(chunk, { maxBytes: 99_999 }), { kind: "limit" });
  const room = new Uint8Array(100_032).fill(9);
  const part = compressSync(plain, { into: room });
  assert.deepEqual([part.buffer, part.byteOffset, part.length], [room.buffer, 0, chunk.length]);
  assert.deepEqual(part, chunk);
  assert.ok(room.subarray(chunk.length).every((byte) => byte === 9));
  assert.throws(() => compressSync(plain, { into: room.subarray(0, chunk.length - 1) }), { kind: "invalid" });
  const varied = new Uint8Array(1_000_000).map((_, at) => (at * at) >> 7);
  const expected = compressSync(varied);
  const short = new Uint8Array(expected.length - 1);
  assert.throws(() => compressSync(varied, { into: short }), { kind: "invalid", message: /the array \d+$/ });
  assert.deepEqual(compressSync(varied, { into: new Uint8Array(expected.length) }), expected);
  // The chunk replaces its own data, wherever both stand.
  for (const [from, to] of [[0, 0], [0, 40], [40, 0]]) {
    for (const Buffer of [ArrayBuffer, SharedArrayBuffer]) {
      const both = new Uint8Array(new Buffer(1_000_100));
      both.set(varied, from);
      const data = both.subarray(from, from + varied.length);
      assert.deepEqual(compressSync(data, { into: new Uint8Array(both.buffer, to) }), new Uint8Array(both.buffer, to, expected.length));
      assert.deepEqual(decompressSync(both.slice(to, to + expected.length)), varied);
    }
  }
  await assert.rejects(compress(plain, { codec: "lz5" }), { kind: "invalid" });
  await assert.rejects(compress(plain, { clevel: 10 }), { kind: "invalid" });
  await assert.rejects(decompress(chunk.slice(0, 40)), { kind: "truncated" });
  assert.deepEqual(await decompress(await compress(new Uint8Array())), new Uint8Array());
});

test("numbers and names that do not fit are refused", async () => {
  const plain = new Uint8Array(1000);
  for (const [name, values] of Object.entries({
    clevel: [261, Number.NaN, "x", "5", 1.5, -1, 10, null, 5n],
    typesize: [2 ** 32 + 4, -1, 0, 1.5, Number.POSITIVE_INFINITY],
    blocksize: [2 ** 32, -1, 0.5],
    format: ["blosc3", 2, ""],
  })) {
    for (const value of values) {
      await assert.rejects(compress(plain, { [name]: value }), { kind: "invalid", message: new RegExp(`^invalid ${name}: `) }, `${name} ${value}`);
    }
  }
});

test("typed arrays are parts of the memory that the caller gives", async () => {
  const plain = Float64Array.of(1.5, 2.5, 3.5);
  const chunk = await compress(plain);
  const room = new Float64Array(6).fill(9);
  const into = new Uint8Array(room.buffer, 8, 24);
  const found = await decompress(chunk, Float64Array, { into });
  assert.deepEqual(found, plain);
  assert.deepEqual([found.buffer, found.byteOffset], [room.buffer, 8]);
  assert.deepEqual([...room], [9, 1.5, 2.5, 3.5, 9, 9]);
  room.fill(9);
  await assert.rejects(decompress(chunk, Float64Array, { into: new Uint8Array(room.buffer, 4, 24) }), { kind: "invalid", message: /byte 4/ });
  assert.deepEqual([...room], [9, 9, 9, 9, 9, 9]);
  assert.deepEqual(await decompress(chunk, Float32Array, { into: new Uint8Array(room.buffer, 4, 24) }), new Float32Array(plain.buffer));
});

test("arguments of a wrong type are refused before the module sees them", async () => {
  for (const options of [{ codec: 5 }, { codec: ["lz4"] }, { filters: 1 }, { filters: ["shuffle"] }, { codec: null }]) {
    await assert.rejects(compress(new Uint8Array(100), options), { kind: "invalid" }, JSON.stringify(options));
  }
  const chunk = await compress(new Uint8Array(1000));
  const into = new Uint8Array(1000);
  for (const maxBytes of [-1, Number.NaN, "abc", null]) await assert.rejects(decompress(chunk, { maxBytes }), { kind: "invalid" }, String(maxBytes));
  await assert.rejects(decompress(chunk, { maxBytes: 10, into }), { kind: "invalid" });
  assert.equal((await decompress(chunk, { maxBytes: 1000, into })).length, 1000);
  assert.equal(await decompress(chunk, undefined, { into }), into);
});
