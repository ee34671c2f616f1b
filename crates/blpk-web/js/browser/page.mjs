// Tests the page in Chromium: golden files of every format, damaged ones, keys, downloads. `page.mjs CHROMIUM PAGE [PICTURES]`.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { archive, below, malformedFrame, manifest, sha256 } from "../test/golden.mjs";
import { compress, open as openFile } from "../dist/index.js";
import { launch, serve } from "./serve.mjs";

const [chromium, folder, pictures] = process.argv.slice(2);
const data = new Map();
for (const name of ["bloscpack", "frames", "zarr", "bcolz"]) for (const [path, bytes] of archive(name)) data.set(`${name}/${path}`, bytes);
for (const item of manifest("chunks").items) data.set(item.file, archive("chunks").get(item.file));

const server = await serve(folder, data);
const browser = await launch(chromium);
const page = await browser.context.newPage();
const faults = [];
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => message.type() === "error" && !/404|Failed to load resource/.test(message.text()) && faults.push(message.text()));

let [passed, failed] = [0, 0];
async function test(name, run) {
  const only = process.env.ONLY;
  if (only && !name.includes(only)) return;
  const start = Date.now();
  try {
    faults.length = 0;
    await run();
    assert.deepEqual(faults, [], "errors of the page");
    passed++;
    console.log(`ok ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

const settled = () => page.waitForFunction(() => ["open", "failed"].includes(document.body.dataset.state) && !document.querySelector("[aria-busy]"), null, { timeout: 15000 });

/** Opens a file by its URL. */
async function visit(path) {
  await page.goto(`${server.origin}/?url=${encodeURIComponent(`/data/${path}`)}`);
  await settled();
}

const text = (selector) => page.locator(selector).innerText();
const stat = async (name) => Number(await page.locator(`[data-stat="${name}"]`).innerText().then((found) => found.replaceAll(",", "")));
const problems = () => page.evaluate(() => (document.getElementById("problems").hidden ? "" : document.getElementById("problems").innerText));

/** The numbers of an array, by the package in Node, whose results the golden digests confirm. */
async function numbers(input, member) {
  const root = await openFile(input);
  const opened = member ? await root.member(member) : root;
  const { data: items } = await opened.read();
  return [...items].map(Number);
}

const near = (found, expected, what) => assert.ok(Math.abs(found - expected) <= 1e-5 * Math.max(1, Math.abs(expected)), `${what}: ${found}, expected ${expected}`);

async function compareStats(values, what) {
  assert.equal(await page.locator("[data-stat]").count() > 0, true, `${what}: no statistics: ${await problems()} ${await text("#tabs")}`);
  const finite = values.filter(Number.isFinite);
  assert.equal(await stat("values"), values.length, what);
  near(await stat("min"), Math.min(...finite), `${what} min`);
  near(await stat("max"), Math.max(...finite), `${what} max`);
  near(await stat("mean"), finite.reduce((sum, value) => sum + value, 0) / finite.length, `${what} mean`);
}

await test("arrays of all dtypes in frames: shape, values, chunks", async () => {
  const items = manifest("frames").frames.filter(({ path, b2nd }) => b2nd && path.endsWith(".b2nd") && b2nd.shape.length === 2);
  assert.ok(items.length >= 8, `${items.length} arrays`);
  for (const { path, nchunks } of items) {
    await visit(`frames/${path}`);
    assert.match(await text("#title"), /Blosc2 frame/);
    const bytes = archive("frames").get(path);
    const opened = await openFile(bytes);
    const [leaf, ...others] = opened.description.leaves ?? [];
    if (opened.description.isTyped && others.length === 0 && leaf && "biuf".includes(leaf.kind) && leaf.itemsize <= 8) await compareStats(await numbers(bytes), path);
    assert.match(await text("#map-body"), new RegExp(`${nchunks} of ${nchunks} chunks`), path);
    assert.equal(await problems(), "", path);
  }
});

await test("arrays with one, three and four axes", async () => {
  await visit("frames/frames/b2nd_032_f8_50.b2frame");
  assert.match(await text("#tabs"), /Line plot/);
  await compareStats(await numbers(archive("frames").get("frames/b2nd_032_f8_50.b2frame")), "1-d");
  await visit("frames/frames/b2nd_034_f8_5x6x7.sframe/");
  const plane = (await numbers(below(archive("frames"), "frames/b2nd_034_f8_5x6x7.sframe"))).slice(2 * 42, 3 * 42);
  await compareStats(plane, "3-d");
  await page.locator("#axis-0").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("slice").value.startsWith("3,"));
  await compareStats((await numbers(below(archive("frames"), "frames/b2nd_034_f8_5x6x7.sframe"))).slice(3 * 42, 4 * 42), "slider");
  await visit("frames/frames/b2nd_036_f8_2x3x2x2.b2nd");
  assert.equal(await page.locator(".slider").count(), 2);
});

await test("bloscpack files, chunks and .npy files", async () => {
  const item = manifest("bloscpack").files.find(({ file }) => /numpy|npy/.test(file)) ?? manifest("bloscpack").files[0];
  await visit(`bloscpack/${item.file}`);
  assert.match(await text("#title"), /bloscpack file/);
  assert.match(await text("#facts"), /BloscpackHeader/);
  const chunk = manifest("chunks").items.find(({ nbytes, status }) => nbytes === 40960 && status === "must");
  await visit(chunk.file);
  assert.match(await text("#title"), /bare Blosc/);
  assert.match(await text("#map-body"), /1 of 1 chunks/);
  const first = await page.locator(".scroller tbody tr").first().innerText();
  assert.equal(first.replaceAll(/\s+/g, "").slice(8, 8 + 32), chunk.plain_head.slice(0, 32));
});

await test("tables of bcolz scroll through their rows", async () => {
  const item = manifest("bcolz").cases.find(({ name }) => name === "ref/tab/mixed");
  await visit(`bcolz/${item.name}/`);
  assert.match(await text("#title"), /ctable/);
  const table = await openFile(below(archive("bcolz"), item.name));
  const rows = table.description.rows;
  const column = await table.member("i");
  const expected = (await column.texts()).flat();
  await page.waitForFunction(() => !document.querySelector(".scroller tbody")?.innerText.includes("…"));
  assert.equal((await page.locator(".scroller tbody tr").first().locator("td").first().innerText()).trim(), expected[0]);
  await page.locator(".scroller").focus();
  await page.keyboard.press("End");
  await page.waitForFunction((last) => document.querySelector(".scroller tr.current th")?.innerText === last, String(rows - 1));
  await page.waitForFunction(() => !document.querySelector(".scroller tbody")?.innerText.includes("…"));
  assert.equal((await page.locator("tr.current td").first().innerText()).trim(), expected.at(-1));
  await page.locator("#member").selectOption("f");
  await page.waitForFunction(() => document.getElementById("tabs").innerText.includes("Line plot"));
});

await test("Zarr: arrays, groups, zip archives", async () => {
  const stores = manifest("zarr").stores.filter(({ refused }) => !refused);
  for (const wanted of [/^v2\/codec\/blosc_lz4_1_C/, /^v3\/codec\/blosc_zstd/, /v3\/.*shard/, /zip\/stored_array\.zip/]) {
    const item = stores.find(({ name, shape }) => wanted.test(name) && shape.length === 2) ?? stores.find(({ name }) => wanted.test(name));
    assert.ok(item, String(wanted));
    const file = archive("zarr").get(item.name);
    await visit(`zarr/${item.name}${file ? "" : "/"}`);
    assert.equal(await page.evaluate(() => document.body.dataset.state), "open", item.name);
    if (item.member === null && item.shape.length === 2) await compareStats(await numbers(file ?? below(archive("zarr"), item.name)), item.name);
  }
  const group = stores.find(({ name, member }) => member && name.includes("zip"));
  await visit(`zarr/${group.name}`);
  const members = await page.locator("#member option").allInnerTexts();
  assert.ok(members.includes(group.member), members.join(" "));
});

/** A Zarr array of 300 x 400 floats with NaN, in 12 chunks, one of them damaged. */
async function damagedZarr() {
  const meta = { zarr_format: 2, shape: [300, 400], chunks: [100, 100], dtype: "<f8", fill_value: 0, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "zstd", clevel: 5, shuffle: 1, blocksize: 0 };
  const files = new Map([[".zarray", new TextEncoder().encode(JSON.stringify(meta))]]);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 4; column++) {
      const items = new Float64Array(10_000);
      items.forEach((_, at) => {
        const [y, x] = [row * 100 + Math.floor(at / 100), column * 100 + (at % 100)];
        items[at] = Math.hypot(y - 150, x - 200) < 40 ? Number.NaN : 10 + Math.sin(x / 20) * Math.cos(y / 25) * 9;
      });
      const chunk = await compress(items, { codec: "zstd" });
      if (row === 1 && column === 0) chunk.fill(0xff, 24, 90);
      if (row !== 2 || column !== 3) files.set(`${row}.${column}`, chunk);
    }
  }
  return files;
}

await test("damage is said and hatched, and the rest is shown", async () => {
  for (const [name, bytes] of await damagedZarr()) data.set(`damaged/${name}`, bytes);
  await visit("damaged/");
  assert.match(await problems(), /1\.0/);
  assert.equal(await stat("values"), 300 * 400 - 10_000);
  assert.ok((await stat("NaN")) > 4000);
  await page.waitForFunction(() => /12 of 12 chunks.*, 1 damaged/.test(document.getElementById("map-body").innerText));
  data.set("cut.blp", archive("bloscpack").get("matrix-blosclz-None.blp").slice(0, 40));
  await visit("cut.blp");
  assert.notEqual(await problems(), "");
  await page.waitForFunction(() => document.querySelector(".scroller tbody tr td:last-child")?.innerText.startsWith("blpk"));
});

await test("a slice of a large file fetches little, and counts it", async () => {
  const shape = [2000, 1000];
  const items = Float64Array.from({ length: shape[0] * shape[1] }, (_, at) => at);
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (2000, 1000), }`.padEnd(117) + "\n";
  const npy = new Uint8Array(128 + items.byteLength);
  npy.set([0x93, ...new TextEncoder().encode("NUMPY\x01\x00v\x00"), ...new TextEncoder().encode(header)]);
  npy.set(new Uint8Array(items.buffer), 128);
  data.set("large.npy", npy);
  await visit("large.npy");
  await page.getByRole("tab", { name: "Values" }).click();
  await page.waitForFunction(() => document.querySelector(".scroller tbody td")?.innerText === "0.0");
  const [read, stored] = await page.evaluate(() => [Number(document.getElementById("traffic").dataset.read), Number(document.getElementById("traffic").dataset.stored)]);
  assert.equal(stored, npy.length);
  data.set("large2.npy", npy);
  await page.goto(`${server.origin}/?url=${encodeURIComponent("/data/large2.npy")}`);
  await settled();
  assert.ok(read > 0 && read <= stored);
  await page.getByRole("tab", { name: "Values" }).click();
  await page.locator(".scroller").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector("tr.current td")?.innerText === "1999000.0");
});

await test("keys read values, zoom and change views", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  const values = await numbers(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  const canvas = page.locator("#panel canvas").first();
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#panel .readout").first().innerText(), `[1, 1] = ${values[18]}`);
  await page.keyboard.press("+");
  await settled();
  await page.waitForFunction(() => Number(document.querySelector('[data-stat="values"]').innerText) < 221);
  await page.getByRole("tab", { name: "Heat map" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { name: "Values" }).getAttribute("aria-selected"), "true");
  await page.waitForFunction(() => document.querySelector(".scroller tbody td") !== null);
});

await test("the mouse reads values", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  const box = await page.locator("#panel canvas").first().boundingBox();
  await page.mouse.move(box.x + 64 + 2, box.y + 6 + 2);
  const values = await numbers(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  assert.equal(await page.locator("#panel .readout").first().innerText(), `[0, 0] = ${values[0]}`);
});

await test("downloads are the selected items", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  await page.locator("#slice").fill("2:4, ::5");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-form button").click()]);
  const { readFile } = await import("node:fs/promises");
  const saved = await openFile(new Uint8Array(await readFile(await download.path())));
  const whole = await openFile(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  assert.deepEqual((await saved.read()).data, (await whole.read("2:4,::5")).data);
});

await test("files and folders that are chosen, without a network", async () => {
  await page.goto(server.origin);
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  await page.waitForLoadState("networkidle");
  await browser.context.setOffline(true);
  try {
    const name = "frames/b2nd_033_f8_13x17.b2nd";
    await page.locator("#file").setInputFiles({ name: "a.b2nd", mimeType: "application/octet-stream", buffer: Buffer.from(archive("frames").get(name)) });
    await settled();
    await compareStats(await numbers(archive("frames").get(name)), "file");
    assert.match(await text("#traffic"), /read of .* stored/);
  } finally {
    await browser.context.setOffline(false);
  }
});

await test("malformed files of every format do not break the page", async () => {
  const { malformed } = manifest("bloscpack");
  const frames = manifest("frames").malformed;
  const damaged = manifest("bcolz").cases.filter(({ expect }) => expect !== "ok");
  await page.goto(server.origin);
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  let count = 0;
  const drop = async (files) => {
    // As if the user had chosen them: the page gets File objects.
    const list = files.map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]);
    await page.evaluate((given) => {
      document.body.dataset.state = "waiting";
      const toFile = ([path, base64]) => new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], path);
      const made = given.map(toFile);
      window.dispatchEvent(new CustomEvent("blpk-open", { detail: made.length === 1 && given[0][0] === "file" ? { file: made[0] } : { files: made.map((file, at) => [given[at][0], file]) } }));
    }, list);
    await settled();
    count++;
  };
  const every = (list, step) => list.filter((_, at) => at % step === 0);
  for (const item of every(malformed, 4)) await drop([["file", archive("bloscpack").get(item.file)]]);
  for (const item of every(frames, 16)) {
    const bytes = malformedFrame(item);
    await drop(Array.isArray(bytes) ? bytes : [["file", bytes]]);
  }
  for (const item of every(damaged, 2)) await drop(below(archive("bcolz"), item.name));
  assert.ok(count > 300, `${count} files`);
  const chunks = manifest("chunks-malformed").items;
  const all = archive("chunks-malformed").get("malformed.bin");
  for (const item of every(chunks, 29)) await drop([["file", all.subarray(item.offset, item.offset + item.length)]]);
  assert.equal(await page.evaluate(() => document.readyState), "complete");
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  assert.equal(await stat("values"), 221);
});

await test("pictures at two sizes in both colour schemes", async () => {
  if (pictures) mkdirSync(pictures, { recursive: true });
  for (const [name, bytes] of await damagedZarr()) data.set(`damaged/${name}`, bytes);
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1280, 900], [390, 844]]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await visit("damaged/");
      await page.waitForTimeout(300);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      assert.equal(isWide, false, `${width} pixels: the page scrolls sideways`);
      const picture = await page.screenshot({ fullPage: true });
      assert.ok(picture.length > 20_000);
      if (pictures) writeFileSync(join(pictures, `zarr-${colorScheme}-${width}.png`), picture);
    }
  }
});

await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
