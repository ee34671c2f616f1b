// Memory that is detached, resized, shared or changed by other code, while the module uses it and after.

import assert from "node:assert/strict";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { compress, compressSync, decompress, decompressSync, load, open } from "blpk";
import * as small from "blpk/decode";

const ITEMS = 500_000;
/** Compressible data of several blocks. */
const items = () => Float64Array.from({ length: ITEMS }, (_, at) => Math.round(at / 10));
const detach = (array) => structuredClone(array.buffer, { transfer: [array.buffer] });

/** Runs `body` while a method of all typed arrays is replaced by one that `around` makes of it. */
function patched(name, around, body) {
  const { prototype } = Object.getPrototypeOf(Uint8Array);
  const original = prototype[name];
  prototype[name] = around(original);
  try {
    return body();
  } finally {
    prototype[name] = original;
  }
}

/** Checks that the modules still work. */
function works() {
  assert.deepEqual(decompressSync(compressSync(items())), new Uint8Array(items().buffer));
}

await load();

test("memory that cannot be read is refused before the module is called", async () => {
  const gone = new Uint8Array(100);
  detach(gone);
  const short = new Uint8Array(new ArrayBuffer(100, { maxByteLength: 200 }), 50, 50);
  short.buffer.resize(60);
  const shortView = new DataView(new ArrayBuffer(100, { maxByteLength: 200 }), 50, 50);
  shortView.buffer.resize(60);
  const refused = { kind: "invalid", message: /^the memory cannot be used/ };
  for (const data of [gone, gone.buffer, short, shortView, Object.create(Uint8Array.prototype)]) {
    assert.throws(() => compressSync(data), refused);
    assert.throws(() => decompressSync(data), refused);
    await assert.rejects(small.decompress(data), refused);
  }
  const chunk = compressSync(new Uint8Array(100));
  for (const into of [gone, short]) {
    assert.throws(() => decompressSync(chunk, { into }), refused);
    await assert.rejects(small.decompressInto(chunk, into), refused);
  }
  works();
});

test("values that are no memory are refused, and buffers of other realms are not", async () => {
  const chunk = compressSync(new Uint8Array(100));
  for (const data of [5, "text", [1, 2, 3], { length: 3 }, null, undefined, new Blob([])]) {
    const refused = { kind: "invalid", message: /^the memory cannot be used: expected a typed array/ };
    assert.throws(() => compressSync(data), refused);
    await assert.rejects(decompress(data), refused);
    await assert.rejects(small.decompress(data), refused);
    if (data !== undefined) assert.throws(() => decompressSync(chunk, { into: data }), refused);
  }
  const other = runInNewContext("new Uint8Array([1, 2, 3]).buffer");
  assert.ok(!(other instanceof ArrayBuffer));
  assert.deepEqual(await decompress(await compress(other)), Uint8Array.of(1, 2, 3));
  assert.deepEqual([...(await (await open(other, { raw: true })).read()).data], [1, 2, 3]);
});

test("a buffer that is detached during a call is an error", () => {
  const chunk = compressSync(items());
  // Detaches the buffer after `first` parts were taken of it. The module's own memory cannot be detached.
  const detaching = (first) => (original) => {
    let calls = 0;
    return function (...range) {
      const taken = original.apply(this, range);
      if (this.length === 8 * ITEMS && ++calls === first) detach(this);
      return taken;
    };
  };
  const changed = { kind: "invalid", message: /has become shorter/ };
  // The test for incompressible data takes 64 parts, and then each block is one.
  for (const first of [1, 64, 65, 66]) {
    assert.throws(() => patched("subarray", detaching(first), () => compressSync(items())), changed);
    works();
  }
  // The first part of the array is the first block of the chunk.
  const room = new Uint8Array(8 * ITEMS);
  assert.throws(() => patched("subarray", detaching(1), () => compressSync(new Uint8Array(items().buffer.slice(8)), { into: room })), changed);
  works();
  for (const first of [1, 2]) {
    const into = new Uint8Array(8 * ITEMS);
    assert.throws(() => patched("subarray", detaching(first), () => decompressSync(chunk, { into })), changed);
    works();
  }
});

test("a call within a call gets its own chunk", () => {
  const expected = compressSync(items());
  const inner = new Uint8Array(300_000).fill(3);
  const found = [];
  const nested = (original) => {
    let isInner = false;
    return function (...range) {
      if (!isInner && this.length === 8 * ITEMS) {
        isInner = true;
        found.push(decompressSync(compressSync(inner)));
        isInner = false;
      }
      return original.apply(this, range);
    };
  };
  assert.deepEqual(patched("subarray", nested, () => compressSync(items())), expected);
  assert.ok(found.length > 10);
  for (const plain of found) assert.deepEqual(plain, inner);
  assert.deepEqual(patched("subarray", nested, () => decompressSync(expected)), new Uint8Array(items().buffer));
});

test("methods of a class that extends Uint8Array are not called by the module", async () => {
  class Hostile extends Uint8Array {
    static get [Symbol.species]() {
      throw new Error("called");
    }
    get length() {
      return 1;
    }
    slice() {
      throw new Error("called");
    }
    set() {
      throw new Error("called");
    }
  }
  const data = new Hostile(items().buffer);
  const chunk = await compress(data, { typesize: 8 });
  assert.deepEqual(chunk, compressSync(items()));
  const into = new Hostile(8 * ITEMS);
  decompressSync(new Hostile(chunk.slice().buffer), { into });
  assert.deepEqual(new Uint8Array(into.buffer), new Uint8Array(items().buffer));
});

test("shared memory is compressed, and decompressed to", async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8 * ITEMS));
  shared.set(new Uint8Array(items().buffer));
  const chunk = await compress(shared, { typesize: 8 });
  assert.deepEqual(chunk, compressSync(items()));
  shared.fill(0);
  await decompress(chunk, { into: shared });
  assert.deepEqual(new Float64Array(shared.buffer), items());
});

test("results have a buffer of their own, which can be moved", async () => {
  const opened = await open(compressSync(items()));
  const calls = {
    bytes: () => opened.bytes(0, 8000),
    read: async () => (await opened.read("0:1000")).data,
    npy: () => opened.save("0:1000", "npy"),
    csv: () => opened.save("0:1000", "csv"),
    compress: () => compress(items()),
    decompress: () => decompress(compressSync(items())),
    small: () => small.decompress(compressSync(items())),
  };
  for (const [name, call] of Object.entries(calls)) {
    const first = await call();
    assert.deepEqual([first.byteOffset, first.byteLength], [0, first.buffer.byteLength], name);
    const copy = first.slice();
    detach(first);
    assert.deepEqual(await call(), copy, name);
  }
  opened.close();
});

test("a file in memory that changes after it was opened says so", async () => {
  const [gone, short] = [compressSync(items()), compressSync(items())];
  const resizable = new ArrayBuffer(short.length, { maxByteLength: short.length });
  new Uint8Array(resizable).set(short);
  const changes = [[gone.buffer, () => detach(gone)], [resizable, () => resizable.resize(short.length >> 1)]];
  for (const [buffer, change] of changes) {
    const opened = await open(buffer);
    change();
    for (const read of [() => opened.read(), () => opened.bytes(8 * ITEMS - 8, 8 * ITEMS)]) {
      await assert.rejects(read(), (error) => typeof error.kind === "string" && /the memory has changed/.test(error.message));
    }
    opened.close();
  }
  works();
});
