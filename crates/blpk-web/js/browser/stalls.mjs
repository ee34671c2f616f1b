// The page's thread is not blocked while arrays are read, and the heat map's limit.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compress } from "../dist/index.js";
import { browser, data, end, folder, page, problems, server, settled, stat, test, visit } from "./chromium.mjs";
import { outcome } from "./harness.mjs";

/** Maximum time of the CPU, in milliseconds, that the page's thread may take without a pause. */
const MOST = 200;

/** Puts a Zarr array of float64 on the server. All its chunks have the same bytes, or none, which means zeros. */
async function zarr(name, shape, chunks, hasChunks) {
  const compressor = { id: "blosc", cname: "zlib", clevel: 5, shuffle: 2, blocksize: 0 };
  const meta = { zarr_format: 2, shape, chunks, dtype: "<f8", fill_value: 0, order: "C", filters: null, compressor };
  data.set(`${name}/.zarray`, Buffer.from(JSON.stringify(meta)));
  if (!hasChunks) return;
  const items = Float64Array.from({ length: chunks.reduce((product, length) => product * length) }, (_, at) => Math.round(1000 * Math.sin(at / 500)) / 8);
  const chunk = await compress(items, { codec: "zlib", filters: "bitshuffle" });
  const [rows, columns = 1] = shape.map((length, axis) => Math.ceil(length / chunks[axis]));
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) data.set(`${name}/${shape.length > 1 ? `${row}.${column}` : row}`, chunk);
}

/** Runs `use` and returns the longest tasks of the page's thread and of workers, in milliseconds of CPU time. */
async function longestTasks(shown, use) {
  const chromium = browser.context.browser();
  await chromium.startTracing(shown, { categories: ["disabled-by-default-devtools.timeline"] });
  await use();
  const { traceEvents } = JSON.parse(await chromium.stopTracing());
  const names = new Map();
  for (const { name, pid, tid, args } of traceEvents) if (name === "thread_name") names.set(`${pid} ${tid}`, args.name);
  const longest = (thread) => {
    const tasks = traceEvents.filter(({ name, pid, tid }) => name === "RunTask" && thread.test(names.get(`${pid} ${tid}`)));
    assert.ok(tasks.length > 0, `no tasks of ${thread}`);
    return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000;
  };
  return { page: longest(/CrRendererMain/), worker: () => longest(/DedicatedWorker/) };
}

/** Zooms out until all of the array `large` is in the heat map. */
async function zoomOut(shown) {
  await shown.locator("#panel canvas").first().focus();
  for (let side = 1024; side <= 4096; side *= 2) {
    await shown.keyboard.press("-");
    await shown.waitForFunction((stop) => document.getElementById("slice").value.startsWith(`0:${stop}:`), side);
  }
  await shown.waitForFunction(outcome);
}

/** Plots all items of the array `long`. No other task takes longer. */
async function plotAll(shown) {
  await shown.getByRole("button", { name: "All" }).click();
  await shown.waitForFunction((length) => document.getElementById("slice").value === `0:${length}`, 16 << 20);
  await shown.waitForFunction(outcome);
}

/** Saves items of the array `large` as CSV. */
async function saveText(shown) {
  await shown.locator("#slice").fill("0:100");
  await shown.locator("#format").selectOption("csv");
  await Promise.all([shown.waitForEvent("download"), shown.locator("#save-form button").click()]);
}

await zarr("large", [4096, 4096], [512, 512], true);
await zarr("long", [16 << 20], [1 << 20], true);
await zarr("sparse", [100_000, 100_000], [1000, 1000], false);

await test("the page's thread is free while arrays of 128 MiB are opened, plotted and scrolled", async () => {
  const longest = await longestTasks(page, async () => {
    await visit("large/");
    await zoomOut(page);
    await page.getByLabel("log scale").check();
    await settled();
    await page.getByRole("tab", { name: "Values" }).click();
    await page.locator(".scroller").focus();
    for (const key of ["End", "PageUp", "PageUp", "Home"]) {
      await page.keyboard.press(key);
      await settled();
    }
    await saveText(page);
    await visit("long/");
    await plotAll(page);
    await settled();
  });
  const [onThePage, inWorkers] = [longest.page, longest.worker()];
  console.log(`longest task: ${onThePage.toFixed(0)} ms on the page, ${inWorkers.toFixed(0)} ms in the worker`);
  assert.ok(onThePage < MOST, `${onThePage} ms`);
  assert.ok(inWorkers > 2 * MOST, `${inWorkers} ms of work would not be noticed`);
});

await test("work on the page's thread would be noticed", async () => {
  const worker = readFileSync(join(folder, "worker.js"), "utf8").replaceAll("import.meta.url", "location.href");
  const other = await browser.context.newPage();
  await other.addInitScript(`window.Worker = class extends EventTarget {
    #self = new EventTarget();
    constructor() {
      super();
      const self = this.#self;
      self.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      ((self) => { ${worker} })(self);
    }
    postMessage(data) { this.#self.dispatchEvent(new MessageEvent("message", { data })); }
    terminate() {}
  };`);
  const longest = await longestTasks(other, async () => {
    await other.goto(`${server.origin}/?url=${encodeURIComponent("/data/long/")}`);
    await other.waitForFunction(outcome);
    await plotAll(other);
  });
  await other.close();
  console.log(`longest task: ${longest.page.toFixed(0)} ms on the page`);
  assert.ok(longest.page > MOST, `${longest.page} ms`);
});

await test("the heat map of 80 GB of zeros ends at 512 MiB", async () => {
  await visit("sparse/");
  const slice = () => page.locator("#slice").inputValue();
  assert.equal(await slice(), "0:512,0:512");
  await page.locator("#panel canvas").first().focus();
  for (let side = 1024; side <= 8192; side *= 2) {
    await page.keyboard.press("-");
    await page.waitForFunction((stop) => document.getElementById("slice").value.startsWith(`0:${stop}:`), side);
    await settled();
  }
  // 8192 x 8192 items of 8 bytes are the limit.
  await page.keyboard.press("-");
  await page.waitForFunction(() => /more than 512.0 MiB .*limit/.test(document.getElementById("status").textContent));
  await settled();
  assert.equal(await slice(), "0:8192:16,0:8192:16");
  assert.deepEqual([await stat("values"), await stat("min"), await stat("max")], [512 * 512, 0, 0]);
});

/** Returns a bloscpack file with an array of zeros whose chunks have `length` bytes. */
async function bloscpack(shape, order, length) {
  const total = shape.reduce((product, axis) => product * axis);
  const count = total / length;
  const chunk = Buffer.from(await compress(new Uint8Array(length), { codec: "lz4", typesize: 1 }));
  const meta = Buffer.from(JSON.stringify({ dtype: "'|u1'", shape, order, container: "numpy" }));
  const head = Buffer.alloc(64);
  head.write("blpk");
  // Version 3 with offsets and metadata, without checksums; the typesize.
  head.set([3, 3, 0, 1], 4);
  head.writeInt32LE(length, 8);
  head.writeInt32LE(length, 12);
  head.writeBigInt64LE(BigInt(count), 16);
  head.write("JSON", 32);
  for (const at of [44, 48, 52]) head.writeUInt32LE(meta.length, at);
  const start = head.length + meta.length + 8 * count;
  const offsets = BigInt64Array.from({ length: count }, (_, at) => BigInt(start + at * chunk.length));
  return Buffer.concat([head, meta, Buffer.from(offsets.buffer), ...new Array(count).fill(chunk)]);
}

await test("the heat map of rows across chunks of 4 MiB ends at 512 MiB", async () => {
  const cases = [
    ["C", [1000, 1024, 8192], "0", "1", "0:128,0:256,4096"],
    ["C", [1000, 1024, 8192], "0", "2", "0:128,512,0:256"],
    ["F", [8192, 1024, 1000], "1", "2", "4096,0:128,0:128"],
  ];
  for (const [order, shape, row, column, expected] of cases) {
    data.set("rows.blp", await bloscpack(shape, order, 4 << 20));
    await visit("rows.blp");
    await page.getByLabel("Axis of the rows").selectOption(row);
    await page.getByLabel("Axis of the columns").selectOption(column);
    await settled();
    assert.equal(await page.locator("#slice").inputValue(), expected, order);
    assert.deepEqual([await stat("max"), await problems()], [0, ""]);
    await page.locator("#panel canvas").first().focus();
    await page.keyboard.press("-");
    await page.waitForFunction(() => /more than 512.0 MiB .*limit/.test(document.getElementById("status").textContent));
  }
});

await test("the first picture of a line ends at 16 Mi items", async () => {
  const [length, path] = [20_000_000, "chunk"];
  const meta = { zarr_format: 2, shape: [2 * length], chunks: [length], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: { id: "blosc", cname: "lz4", clevel: 1, shuffle: 0, blocksize: 0 } };
  data.set(`${path}/.zarray`, Buffer.from(JSON.stringify(meta)));
  data.set(`${path}/0`, Buffer.from(await compress(new Uint8Array(length), { codec: "lz4", typesize: 1 })));
  await visit(`${path}/`);
  assert.equal(await page.locator("#slice").inputValue(), `0:${16 << 20}`);
});

await end();
