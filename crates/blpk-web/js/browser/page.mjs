// Golden files of every format on the page, and damaged ones: numbers, chunks, what is fetched.

import assert from "node:assert/strict";
import { archive, below, manifest } from "../test/golden.mjs";
import { open as openFile } from "../dist/index.js";
import { compare, data, end, page, problems, server, settled, stat, test, text, visit } from "./chromium.mjs";
import { damagedZarr } from "./damaged.mjs";
import { npyOf, numbers } from "./harness.mjs";

await test("arrays of all dtypes in frames: shape, values, chunks", async () => {
  const items = manifest("frames").frames.filter(({ path, b2nd }) => b2nd && path.endsWith(".b2nd") && b2nd.shape.length === 2);
  assert.ok(items.length >= 8, `${items.length} arrays`);
  for (const { path, nchunks } of items) {
    await visit(`frames/${path}`);
    assert.match(await text("#title"), /Blosc2 frame/);
    const bytes = archive("frames").get(path);
    const opened = await openFile(bytes);
    const [leaf, ...others] = opened.description.leaves ?? [];
    if (opened.description.isTyped && others.length === 0 && leaf && "biuf".includes(leaf.kind) && leaf.itemsize <= 8) await compare(await numbers(bytes), path);
    assert.match(await text("#map-body"), new RegExp(`${nchunks} of ${nchunks} chunks`), path);
    assert.equal(await problems(), "", path);
  }
});

await test("arrays with one, three and four axes", async () => {
  await visit("frames/frames/b2nd_032_f8_50.b2frame");
  assert.match(await text("#tabs"), /Line plot/);
  await compare(await numbers(archive("frames").get("frames/b2nd_032_f8_50.b2frame")), "1-d");
  await visit("frames/frames/b2nd_034_f8_5x6x7.sframe/");
  const plane = (await numbers(below(archive("frames"), "frames/b2nd_034_f8_5x6x7.sframe"))).slice(2 * 42, 3 * 42);
  await compare(plane, "3-d");
  await page.getByLabel("axis 0", { exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("slice").value.startsWith("3,"));
  await compare((await numbers(below(archive("frames"), "frames/b2nd_034_f8_5x6x7.sframe"))).slice(3 * 42, 4 * 42), "slider");
  await visit("frames/frames/b2nd_036_f8_2x3x2x2.b2nd");
  assert.equal(await page.locator(".slider").count(), 2);
});

await test("arrays whose values are almost the same, which have few ticks", async () => {
  const arrays = [
    ["<f8", Float64Array.from({ length: 20 }, (_, at) => (at % 2 ? 0.1 + 0.2 : 0.3))],
    ["<i8", BigInt64Array.from([2n ** 60n, 2n ** 60n + 512n])],
    ["<M8[ns]", BigInt64Array.from([1_700_000_000_000_000_000n, 1_700_000_000_000_000_300n])],
  ];
  for (const [dtype, items] of arrays) {
    data.set("close.npy", npyOf(dtype, [items.length], items));
    await visit("close.npy");
    assert.equal(await stat("values"), items.length, dtype);
    assert.match(await page.locator("#panel .readout").first().innerText(), /^items 0 to/, dtype);
  }
});

await test("values up to the largest floats are plotted", async () => {
  const max = Number.MAX_VALUE;
  const bright = () => page.locator("#panel canvas").first().evaluate((canvas) => {
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    // The middle of the first and of the last cell.
    return [100, width - 120].map((x) => data[4 * (x + width * Math.floor(canvas.height / 2)) + 1]);
  });
  data.set("large.npy", npyOf("<f8", [2, 2], Float64Array.of(-max, max, -max, max)));
  await visit("large.npy");
  const [low, high] = await bright();
  assert.ok(low < 10 && high > 220, `${low} ${high}`);
  data.set("large.npy", npyOf("<f8", [3], Float64Array.of(-max, 0, max)));
  await visit("large.npy");
  assert.deepEqual([await stat("values"), await stat("mean")], [3, 0]);
});

await test("the value of an array without axes", async () => {
  data.set("zero.npy", npyOf("<f8", [], Float64Array.of(2.5)));
  await visit("zero.npy");
  await page.waitForFunction(() => document.querySelector(".scroller tbody td")?.innerText !== "…");
  assert.equal(await page.locator(".scroller tbody").innerText(), "0\t2.5");
  assert.equal(await problems(), "");
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
    if (item.member === null && item.shape.length === 2) await compare(await numbers(file ?? below(archive("zarr"), item.name)), item.name);
  }
  const group = stores.find(({ name, member }) => member && name.includes("zip"));
  await visit(`zarr/${group.name}`);
  const members = await page.locator("#member option").allInnerTexts();
  assert.ok(members.includes(group.member), members.join(" "));
});

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

await test("the facts of an array in a group of many are shown when it is chosen", async () => {
  const meta = (length) => JSON.stringify({ zarr_format: 2, shape: [length], chunks: [4], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null });
  const files = [[".zgroup", '{"zarr_format":2}'], ...Array.from({ length: 20 }, (_, at) => [`a${at}/.zarray`, meta(100 + at)])];
  await page.goto(server.origin);
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  await page.evaluate((list) => {
    document.body.dataset.state = "waiting";
    window.dispatchEvent(new CustomEvent("blpk-open", { detail: { files: list.map(([path, text]) => [path, new File([text], path)]) } }));
  }, files);
  await settled();
  assert.match(await text("#facts"), /and 4 more arrays/);
  await page.locator("#member").selectOption("a19");
  await page.waitForFunction(() => /and 4 more arrays\s+a19:[^]*119/.test(document.getElementById("facts").innerText));
});

await test("of a file above the limit, a view reads its part, and millions of rows scroll", async () => {
  const rows = 9_000_000;
  data.set("long.npy", npyOf("<f4", [rows], Float32Array.from({ length: rows }, (_, at) => at)));
  await visit("long.npy");
  const traffic = () => page.evaluate(() => ["read", "stored"].map((name) => Number(document.getElementById("traffic").dataset[name])));
  const [read, stored] = await traffic();
  assert.equal(stored, data.get("long.npy").length);
  await page.getByRole("tab", { name: "Values" }).click();
  const first = (value) => page.waitForFunction((text) => document.querySelector("tr.current td")?.innerText === text, value);
  await first("0.0");
  assert.ok((await traffic())[0] - read < stored / 100, `${read} bytes of ${stored}`);
  const grid = page.locator(".scroller");
  await grid.press("End");
  await first(`${rows - 1}.0`);
  await page.getByLabel(/Go to line/).fill("4500000");
  await page.getByLabel(/Go to line/).press("Enter");
  await first("4500000.0");
  const shown = () => page.evaluate(() => Number(document.querySelector(".scroller tbody th").innerText));
  const before = await shown();
  await grid.hover();
  await page.mouse.wheel(0, 240);
  await page.waitForFunction((row) => Number(document.querySelector(".scroller tbody th").innerText) > row, before);
  assert.equal((await shown()) - before, 10, "a row is 24 pixels");
  data.set("wide.npy", npyOf("<f8", [4096, 1100], Float64Array.from({ length: 4096 * 1100 }, (_, at) => at)));
  await visit("wide.npy");
  const [part, whole] = await traffic();
  assert.ok(part < whole / 4, `${part} bytes of ${whole} for a window of 512 rows`);
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

await end();
