// Calls that are cancelled, or whose file is closed.

import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { open } from "blpk";
import { npyOf } from "../browser/harness.mjs";

/** A `.npy` file of 1 MiB. */
const npy = () => npyOf("<f8", [131072], Float64Array.from({ length: 131072 }, (_, at) => at));

/** A file whose reads end when `pass` is called. Without `heeds`, it goes on with reads that are cancelled. */
function gated(size, heeds) {
  const file = { reads: [], pass: () => {}, size };
  let gate = Promise.resolve();
  file.close = () => (gate = new Promise((done) => (file.pass = done)));
  file.read = (offset, length, signal) => {
    file.reads.push(offset);
    const cancelled = new Promise((_, reject) => heeds && signal.addEventListener("abort", () => reject(signal.reason)));
    return Promise.race([gate, cancelled]).then(() => new Uint8Array(length).fill(offset / 4096));
  };
  return file;
}

test("reads can be cancelled", async () => {
  const controller = new AbortController();
  const file = npy();
  let reads = 0;
  const read = async (offset, length) => {
    if (++reads === 2) controller.abort();
    return file.slice(offset, offset + length);
  };
  const opened = await open({ size: file.length, read }, { signal: controller.signal });
  await assert.rejects(opened.read("131071"), { name: "AbortError" });
});

test("one call is cancelled at once, and others go on", async () => {
  const file = npy();
  let gate = Promise.resolve();
  let reads = 0;
  const read = async (offset, length) => {
    reads++;
    await gate;
    return file.slice(offset, offset + length);
  };
  const opened = await open({ size: file.length, read });
  let pass = () => {};
  gate = new Promise((done) => (pass = done));
  const controller = new AbortController();
  const { signal } = controller;
  const cancelled = [opened.read("131071", { signal }), opened.readRest("65536:65599", { signal }), opened.save("...", "npy", { signal }), opened.save("...", "csv", { signal })];
  const refused = cancelled.map((call) => assert.rejects(call, { name: "AbortError", kind: "cancelled" }));
  const other = opened.read("131071");
  await new Promise((done) => setTimeout(done, 5));
  controller.abort();
  await Promise.all(refused);
  pass();
  assert.deepEqual((await other).data, (await opened.read("-1")).data);
  const before = reads;
  await assert.rejects(opened.bytes(0, 9, { signal }), { kind: "cancelled" });
  await assert.rejects(opened.chunks(0, 1, { signal }), { kind: "cancelled" });
  await assert.rejects(opened.texts("0", { signal }), { kind: "cancelled" });
  assert.equal(reads, before, "nothing is read for a call that is cancelled before it begins");
  assert.equal((await opened.save("131070:", "csv")).length > 0, true);
});

test("requests that a cancelled call still waits for are not made", async () => {
  const controller = new AbortController();
  let reads = 0;
  const read = async (_, length) => {
    reads++;
    await new Promise((done) => setTimeout(done, 1));
    return new Uint8Array(length);
  };
  const opened = await open({ size: 400 << 20, read }, { raw: true });
  const before = reads;
  const all = opened.bytes(0, 400 << 20, { signal: controller.signal });
  setTimeout(() => controller.abort());
  await assert.rejects(all, { kind: "cancelled" });
  await new Promise((done) => setTimeout(done, 50));
  assert.ok(reads - before <= 16, `${reads - before} of 50 reads`);
  assert.equal((await opened.bytes(300 << 20, (300 << 20) + 9)).length, 9);
});

test("a cancelled call keeps no other from what it did not get", async () => {
  for (const heeds of [true, false]) {
    const file = gated(400 << 20, heeds);
    const opened = await open(file, { raw: true });
    file.close();
    const controller = new AbortController();
    const whole = opened.bytes(0, 400 << 20, { signal: controller.signal });
    await new Promise((done) => setTimeout(done));
    assert.equal(file.reads.length, 8, "eight requests at a time");
    const waiting = opened.bytes(300 << 20, (300 << 20) + 9);
    controller.abort();
    await assert.rejects(whole, { kind: "cancelled" });
    const [late, again] = [opened.bytes(390 << 20, (390 << 20) + 9), opened.bytes(1 << 20, (1 << 20) + 9)];
    await new Promise((done) => setTimeout(done));
    assert.deepEqual(file.reads.slice(8).sort((a, b) => a - b), [1 << 20, 300 << 20, 390 << 20]);
    file.pass();
    for (const [call, offset] of [[waiting, 300], [late, 390], [again, 1]]) assert.equal((await call)[0], ((offset << 20) / 4096) % 256);
    opened.close();
  }
});

test("closing a file ends calls that wait for it", async () => {
  const file = gated(1 << 20, false);
  const opened = await open(file, { raw: true });
  file.close();
  const calls = [opened.bytes(1 << 19, 1 << 20), opened.bytes(1 << 19, 1 << 20), opened.save("-9:", "csv")];
  await new Promise((done) => setTimeout(done));
  opened.close();
  for (const call of calls) await assert.rejects(call, { kind: "invalid", message: "the file was closed" });
});

test("closing a column ends its calls, and leaves others", async () => {
  const items = npy();
  let gate = Promise.resolve();
  let pass = () => {};
  const list = async (path) => (path === "" ? [".zgroup", "a", "b"] : undefined);
  const array = (name) => JSON.stringify({ zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null, name });
  const metadata = { ".zgroup": { zarr_format: 2 }, "a/.zarray": JSON.parse(array("a")), "b/.zarray": JSON.parse(array("b")) };
  const texts = { ".zgroup": '{"zarr_format":2}', ".zmetadata": JSON.stringify({ zarr_consolidated_format: 1, metadata }), "a/.zarray": array("a"), "b/.zarray": array("b") };
  const open_ = async (path) => {
    const bytes = texts[path] !== undefined ? new TextEncoder().encode(texts[path]) : /^[ab]\/0$/.test(path) ? items.subarray(0, 4) : undefined;
    if (path.endsWith("/0")) await gate;
    return bytes && { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
  };
  const group = await open({ list, open: open_ });
  const [a, b] = [await group.member("a"), await group.member("b")];
  gate = new Promise((done) => (pass = done));
  const [closed, other] = [a.read(), b.read()];
  await new Promise((done) => setTimeout(done));
  a.close();
  await assert.rejects(closed, { kind: "invalid", message: "the file was closed" });
  pass();
  assert.deepEqual([...(await other).data], [...items.subarray(0, 4)]);
  group.close();
});

test("a read that its own source cancels leaves the rest to other calls", async () => {
  const controller = new AbortController();
  let reads = 0;
  const read = async (_, length) => {
    if (++reads === 1) controller.abort();
    return new Uint8Array(length);
  };
  const opened = await open({ size: 100 << 20, read }, { raw: true });
  await assert.rejects(opened.bytes(1 << 20, 90 << 20, { signal: controller.signal }), { kind: "cancelled" });
  assert.equal((await opened.bytes(80 << 20, (80 << 20) + 5)).length, 5);
  assert.equal((await opened.bytes(1 << 20, (1 << 20) + 5)).length, 5);
});

test("opening is cancelled also where the source does not answer", async () => {
  const hanging = () => new Promise(() => {});
  const inputs = [["http://localhost/a.npy", { fetch: hanging }], [{ getFile: hanging }, {}]];
  for (const [input, options] of inputs) {
    const controller = new AbortController();
    const opening = open(input, { ...options, signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(opening, { kind: "cancelled" });
  }
});

test("texts that were read are not kept", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const opened = await open(npy());
  const used = async (turns) => {
    let size = 0;
    for (let turn = 0; turn < turns; turn++) size = (await opened.save("...", "csv")).length;
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((done) => setTimeout(done, 20));
      collect();
    }
    return [process.memoryUsage().arrayBuffers, size];
  };
  const [before, size] = await used(3);
  const [after] = await used(12);
  assert.ok(after - before < 4 * size, `${after - before} bytes more after 12 texts of ${size}`);
});

test("a text that is cancelled does not wait for its turn", async () => {
  const file = gated(1 << 20, false);
  const opened = await open(file, { raw: true });
  file.close();
  const first = opened.texts(`${1 << 19}`);
  const controller = new AbortController();
  const second = opened.save("0:9", "csv", { signal: controller.signal });
  controller.abort();
  await assert.rejects(second, { kind: "cancelled" });
  const third = opened.texts("-1");
  file.pass();
  assert.deepEqual([await first, await third], [[["128"]], [["255"]]]);
});

test("any reason cancels, and many calls may have one signal", async () => {
  const warnings = [];
  const warn = (warning) => warnings.push(warning.message);
  process.on("warning", warn);
  const reasons = [[Object.freeze(new RangeError("cold")), "cold"], [Object.assign(new Error("own"), { kind: "damaged" }), "own"], ["a text", "a text"], [undefined, /aborted/]];
  for (const [reason, message] of reasons) {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (_, length) => (length > 65536 && controller.abort(reason), new Uint8Array(length));
    const opened = await open({ size: 64 << 20, read }, { raw: true, signal });
    const calls = Array.from({ length: 30 }, (_, at) => opened.bytes(at << 20, (at + 1) << 20, { signal }));
    for (const call of calls) await assert.rejects(call, { kind: "cancelled", message });
  }
  await new Promise((done) => setTimeout(done));
  process.off("warning", warn);
  assert.deepEqual(warnings, []);
});

test("files of a directory that a cancelled call waits for are not opened", async () => {
  const meta = { zarr_format: 2, shape: [3000], chunks: [1], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  let opens = 0;
  const directory = {
    list: async (path) => (path === "" ? [".zarray"] : undefined),
    open: async (path) => {
      const bytes = path === ".zarray" ? new TextEncoder().encode(JSON.stringify(meta)) : /^\d+$/.test(path) ? Uint8Array.of(7) : undefined;
      if (/^\d+$/.test(path)) await new Promise((done) => setTimeout(done, 1, opens++));
      return bytes && { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
    },
  };
  for (const how of ["open", "read"]) {
    const controller = new AbortController();
    const opened = await open(directory, how === "open" ? { signal: controller.signal } : {});
    opens = 0;
    const all = opened.read("...", { signal: how === "read" ? controller.signal : undefined });
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(all, { kind: "cancelled" });
    await new Promise((done) => setTimeout(done, 30));
    assert.ok(opens > 0 && opens < 300, `${how}: ${opens} files`);
    if (how === "read") assert.deepEqual([...(await opened.read("2990:")).data], Array(10).fill(7));
    opened.close();
  }
});

test("aborting ends a request that the server does not answer", async () => {
  const hanging = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const controller = new AbortController();
  const opening = open("http://localhost/a.npy", { fetch: hanging, signal: controller.signal });
  setTimeout(() => controller.abort(), 10);
  await assert.rejects(opening, { name: "AbortError" });
});

test("cancelled reads of any source stop, and say so", async () => {
  const cancelling = new AbortController();
  let reads = 0;
  const read = async (_, length) => {
    if (++reads === 2) cancelling.abort();
    return new Uint8Array(length);
  };
  const opened = await open({ size: 200 << 20, read }, { raw: true, signal: cancelling.signal });
  await assert.rejects(opened.bytes(0, 200 << 20), { kind: "cancelled", name: "AbortError" });
  assert.ok(reads < 20, `${reads} reads`);
  await assert.rejects(open(new Uint8Array(9), { signal: AbortSignal.abort("no") }), { kind: "cancelled", message: "no" });
  opened.close();
});
