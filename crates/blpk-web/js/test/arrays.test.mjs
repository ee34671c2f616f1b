// Slices, typed arrays, texts, chunk maps, downloads and damaged arrays.

import assert from "node:assert/strict";
import test from "node:test";
import { compress, open } from "blpk";
import { archive, below, manifest } from "./golden.mjs";

/** A Zarr array of 100 x 80 float64 in chunks of 30 x 50, value 1000 * row + column, compressed by Blosc. */
async function zarr() {
  const [shape, chunks] = [[100, 80], [30, 50]];
  const zarray = { zarr_format: 2, shape, chunks, dtype: "<f8", fill_value: 0, order: "C", filters: null };
  zarray.compressor = { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 };
  const files = [[".zarray", new TextEncoder().encode(JSON.stringify(zarray))]];
  for (let row = 0; row * 30 < 100; row++) {
    for (let column = 0; column * 50 < 80; column++) {
      const items = new Float64Array(30 * 50);
      items.forEach((_, at) => (items[at] = 1000 * (row * 30 + Math.floor(at / 50)) + column * 50 + (at % 50)));
      files.push([`${row}.${column}`, await compress(items)]);
    }
  }
  return files;
}

const value = (row, column) => 1000 * row + column;

test("slices are typed arrays of the selected items", async () => {
  const opened = await open(await zarr());
  const { data, shape, dtype } = await opened.read("28:33,49:52");
  assert.ok(data instanceof Float64Array);
  assert.deepEqual([shape, dtype], [[5, 3], "<f8"]);
  assert.deepEqual([...data], [28, 29, 30, 31, 32].flatMap((row) => [49, 50, 51].map((column) => value(row, column))));
  const same = await opened.read([[28, 33], [49, 52]]);
  assert.deepEqual(same.data, data);
  assert.deepEqual([...(await opened.read([-1, [null, null, 40]])).data], [value(99, 0), value(99, 40)]);
  assert.deepEqual([...(await opened.read([[10, 7, -1], 3])).data], [10003, 9003, 8003]);
  await assert.rejects(opened.read("100"), { kind: "invalid" });
  await assert.rejects(opened.read([0.5]), { kind: "invalid" });
});

test("texts, chunk maps and downloads", async () => {
  const opened = await open(await zarr());
  assert.deepEqual(await opened.texts("1,:3"), [["1000.0"], ["1001.0"], ["1002.0"]]);
  const chunks = await opened.chunks();
  assert.equal(chunks.length, 8);
  assert.ok(chunks.every(({ codec, nbytes, filters }) => codec === "lz4" && nbytes === 12000 && filters === "shuffle"));
  const npy = await opened.save("2:4,5:7", "npy");
  const again = await open(npy);
  assert.deepEqual([...(await again.read()).data], [2005, 2006, 3005, 3006]);
  const csv = new TextDecoder().decode(await opened.save("2:4,5:7", "csv"));
  assert.equal(csv, "f0_0,f0_1\n2005.0,2006.0\n3005.0,3006.0\n");
});

test("ranges and formats that do not fit are refused", async () => {
  const opened = await open(await zarr());
  for (const [start, stop] of [[-5, 10], [0, 1.5], [Number.NaN, 1], [0, undefined], ["0", 8], [10, 5], [0, 64_001]]) {
    await assert.rejects(opened.bytes(start, stop), { kind: "invalid" }, `${start} ${stop}`);
  }
  for (const [start, stop] of [[-5, 2], [Number.NaN, 1], [0.5, 1]]) await assert.rejects(opened.chunks(start, stop), { kind: "invalid" });
  for (const format of ["xlsx", undefined, ""]) await assert.rejects(opened.save("0", format), { kind: "invalid", message: /^invalid format/ });
});

test("more bytes than the limit of a call are refused before any is read", async () => {
  const header = new TextEncoder().encode("{'descr': '<f8', 'fortran_order': False, 'shape': (400000000,), }".padEnd(117) + "\n");
  const head = new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY\x01\x00v\x00"), ...header]);
  let read = 0;
  const source = {
    size: head.length + 8 * 400_000_000,
    read: async (offset, length) => {
      read += length;
      const bytes = new Uint8Array(length);
      bytes.set(head.subarray(offset, offset + length));
      return bytes;
    },
  };
  const opened = await open(source);
  const before = read;
  for (const call of [() => opened.save("...", "npy"), () => opened.bytes(0, 2 ** 30 + 1), () => opened.read(), () => opened.texts()]) {
    await assert.rejects(call(), { kind: "limit" });
  }
  assert.equal(read, before);
  assert.deepEqual([...(await opened.bytes(2 ** 30, 2 ** 30 + 2))], [0, 0]);
});

test("a missing chunk is the fill value, and damage is shown while the rest is read", async () => {
  const files = new Map(await zarr());
  files.delete("3.1");
  const damaged = files.get("1.0").slice();
  damaged.fill(0xff, 20, 60);
  files.set("1.0", damaged);
  const opened = await open(files);
  await assert.rejects(opened.read(), { kind: "damaged" });
  const { data, lost } = await opened.readRest();
  assert.deepEqual(lost.map(({ start, stop }) => [start, stop]), [[[30, 0], [60, 50]]]);
  assert.match(lost[0].problem, /1\.0/);
  assert.equal(lost[0].kind, "damaged");
  for (let row = 0; row < 100; row++) {
    for (let column = 0; column < 80; column++) {
      const isLost = row >= 30 && row < 60 && column < 50;
      const isMissing = row >= 90 && column >= 50;
      assert.equal(data[row * 80 + column], isLost || isMissing ? 0 : value(row, column), `${row} ${column}`);
    }
  }
  const facts = await opened.chunks();
  assert.equal(facts[7].special, "uninit");
});

test("all intact chunks of an array with many damaged ones are read", async () => {
  const count = 4096;
  const zarray = { zarr_format: 2, shape: [count * 16], chunks: [16], dtype: "<f8", fill_value: 0, order: "C", filters: null };
  zarray.compressor = { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 };
  const intact = await compress(new Float64Array(16).fill(7));
  const damaged = intact.slice();
  damaged.fill(0xff, 4);
  const isDamaged = (chunk) => chunk % 5 === 0;
  const files = Array.from({ length: count }, (_, chunk) => [String(chunk), isDamaged(chunk) ? damaged : intact]);
  const opened = await open([[".zarray", new TextEncoder().encode(JSON.stringify(zarray))], ...files]);
  const { data, lost } = await opened.readRest();
  assert.deepEqual(lost.map(({ start, stop }) => stop[0] - start[0]), Array(Math.ceil(count / 5)).fill(16));
  assert.ok(data.every((found, at) => found === (isDamaged(Math.floor(at / 16)) ? 0 : 7)));
});

test("tables and items with fields have texts for each column", async () => {
  const item = manifest("bcolz").cases.find((item) => item.name === "ref/tab/mixed");
  const table = await open(below(archive("bcolz"), item.name));
  assert.equal(table.kind, "table");
  assert.deepEqual(table.members, item.names);
  const column = await table.member("i");
  assert.equal(column.shape[0], table.description.rows);
  const { data } = await column.read(":5");
  assert.deepEqual((await column.texts(":5")).flat(), [...data].map(String));
});

test("a row of a table as CSV has all values of columns with axes", async () => {
  const table = await open(below(archive("bcolz"), "ref/tab/mixed"));
  const csv = async (slice) => new TextDecoder().decode(await table.save(slice, "csv"));
  const rows = table.description.rows;
  const [head, first, second] = (await csv("0:2")).split("\n");
  assert.equal(head, "i,f,s,u,b,t,m_0,m_1");
  assert.equal(first.split(",").length, 8);
  for (const slice of ["0", [0], " [0] ", "+0,", String(-rows)]) assert.equal(await csv(slice), `${head}\n${first}\n`);
  assert.equal(await csv([1]), `${head}\n${second}\n`);
  assert.equal(await csv("-1"), await csv("-1:"));
  assert.equal(await csv("1:0"), `${head}\n`);
  await assert.rejects(table.save([rows], "csv"), { kind: "invalid" });
});

test("rows of a table as CSV are the same of columns of all lengths", async () => {
  const files = below(archive("bcolz"), "ref/badtab/column_length_mismatch");
  // The first column has 30 rows, the second 29. With the names exchanged, the first one is the short one.
  const exchanged = files.map(([path, bytes]) => [path, path === "__rootdirs__" ? new TextEncoder().encode('{"names": ["b", "a"]}') : bytes]);
  for (const [list, rows] of [[files, 30], [exchanged, 29]]) {
    const table = await open(list);
    assert.equal(table.description.rows, rows);
    const csv = async (slice) => new TextDecoder().decode(await table.save(slice, "csv"));
    const [head, ...lines] = (await csv("0:29")).trimEnd().split("\n");
    assert.equal(lines.length, 29);
    for (const [slice, picked] of Object.entries({ "3:20:4": lines.slice(3, 20).filter((_, at) => at % 4 === 0), "-10:-7": lines.slice(rows - 10, rows - 7), "20:4:-5": [20, 15, 10, 5].map((row) => lines[row]), "3::-1": [3, 2, 1, 0].map((row) => lines[row]), "5:5": [], "-400:2": lines.slice(0, 2) })) {
      assert.equal(await csv(slice), [head, ...picked, ""].join("\n"), slice);
    }
    if (rows === 29) {
      for (const slice of ["...", ":", "[0:]"]) assert.equal(await csv(slice), [head, ...lines, ""].join("\n"), slice);
      assert.equal(await csv("-3:"), [head, ...lines.slice(26), ""].join("\n"));
      assert.equal(await csv("::-10"), [head, lines[28], lines[18], lines[8], ""].join("\n"));
      continue;
    }
    for (const slice of ["...", "-3:", "::-10", "29", "25:40"]) await assert.rejects(table.save(slice, "csv"), { kind: "damaged", message: /^the column b has 29 rows, so row 29 cannot be read/ }, slice);
    await assert.rejects(table.save("...,:", "csv"), (error) => typeof error.kind === "string");
  }
});

test("big-endian items come in the order of the machine", async () => {
  for (const item of manifest("zarr").stores.filter(({ dtype }) => dtype === ">i4" || dtype === ">f8")) {
    const opened = await open(below(archive("zarr"), item.name));
    const { data } = await opened.read();
    const texts = (await opened.texts()).flat();
    assert.deepEqual([...data].map(Number), texts.map(Number), item.name);
  }
});
