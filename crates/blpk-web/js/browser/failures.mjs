// What the page does when a server or a part of the data fails.

import assert from "node:assert/strict";
import { compress } from "../dist/index.js";
import { browser, data, end, page, problems, server, settled, test, text, visit } from "./chromium.mjs";

/** Waits until the text of a part of the page matches. */
const until = (selector, pattern) => page.waitForFunction(([selector, pattern]) => new RegExp(pattern).test(document.querySelector(selector)?.innerText ?? ""), [selector, pattern]);

/** Answers requests for paths that match, until the function that it returns is called. */
async function failing(pattern, answer) {
  let requests = 0;
  const handler = (route) => {
    requests++;
    return answer(route);
  };
  await browser.context.route(pattern, handler);
  return async () => {
    await browser.context.unroute(pattern, handler);
    return requests;
  };
}

/** Answers after some milliseconds. Requests that still wait at the end of a test are answered by the server at once. */
const late = (time) => async (route) => {
  await new Promise((resolve) => setTimeout(resolve, time));
  await route.continue().catch(() => {});
};

/** Stores a Zarr array of bytes, of which each is the number of its chunk. */
async function zarr(name, chunks, length = 64) {
  const meta = { zarr_format: 2, shape: [length * chunks], chunks: [length], dtype: "|u1", fill_value: 9, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "lz4", clevel: 1, shuffle: 0, blocksize: 0 };
  data.set(`${name}/.zarray`, Buffer.from(JSON.stringify(meta)));
  for (let chunk = 0; chunk < chunks; chunk++) data.set(`${name}/${chunk}`, Buffer.from(await compress(new Uint8Array(length).fill(chunk), { typesize: 1 })));
}

await test("a server that fails is asked a few times, and again later", async () => {
  await zarr("failing", 40);
  const end = await failing(/\/data\/failing\/\d+$/, (route) => route.abort());
  await visit("failing/");
  await page.getByRole("tab", { name: "Values" }).click();
  await until(".scroller tbody", "✗");
  // Rows are asked for again after two seconds.
  await page.waitForTimeout(2100);
  const requests = await end();
  assert.ok(requests < 200, `${requests} requests`);
  await page.locator(".scroller").focus();
  await page.keyboard.press("ArrowDown");
  await until(".scroller tbody tr td", "^0$");
  assert.equal(await problems(), "");
});

await test("a header that a server does not send is no damage, and is read again", async () => {
  await zarr("unsent", 3);
  const end = await failing(/\/data\/unsent\/1$/, (route) => route.fulfill({ status: 503, body: "" }));
  await visit("unsent/");
  await until("#map-body", "3 of 3 chunks: .*, 1 not read");
  assert.doesNotMatch(await text("#map-body"), /damaged/);
  await page.locator("#map-body canvas").focus();
  await page.keyboard.press("ArrowRight");
  await until("#map-body", "Chunk 1 was not read: ");
  await end();
  await page.waitForTimeout(2100);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await until("#map-body", "Chunk 1: ");
  assert.doesNotMatch(await text("#map-body"), /not read/);
});

await test("files that a server refuses are counted", async () => {
  await zarr("refused", 3);
  const end = await failing(/\/data\/refused\/1$/, (route) => route.fulfill({ status: 403, body: "" }));
  await visit("refused/");
  await until("#problems", "The server refused 1 file");
  await end();
  await visit("refused/");
  assert.doesNotMatch(await problems(), /refused/);
});

await test("a damaged column leaves the others", async () => {
  await visit("bcolz/ref/badtab/column_dir_missing/");
  await until(".scroller tbody tr", "✗");
  assert.match(await problems(), /b: b\/meta\/storage/);
  const cells = await page.locator(".scroller tbody tr").first().locator("td").allInnerTexts();
  assert.equal(cells.length, 2);
  assert.match(cells[0], /^\d+$/);
  assert.equal(cells[1], "✗");
});

await test("chunks of any compressor are marked by their place", async () => {
  const meta = { zarr_format: 2, shape: [4, 6], chunks: [2, 3], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: { id: "zlib", level: 1 } };
  data.set("marks/.zarray", Buffer.from(JSON.stringify(meta)));
  const { deflateSync } = await import("node:zlib");
  for (const name of ["0.0", "0.1", "1.0", "1.1"]) data.set(`marks/${name}`, name === "1.0" ? Buffer.from("damaged") : deflateSync(new Uint8Array(6)));
  await visit("marks/");
  await until("#map-body", "1 damaged");
  await page.locator("#map-body canvas").focus();
  for (const key of ["Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  assert.match(await text("#map-body .readout[role=status]"), /^Chunk 2 is damaged/);
});

await test("after a group without arrays, nothing of the file before is left", async () => {
  await visit("failing/");
  data.set("nothing/.zgroup", Buffer.from('{"zarr_format": 2}'));
  data.set("nothing/.zmetadata", Buffer.from('{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}}'));
  await page.locator("#url").fill("/data/nothing/");
  await page.keyboard.press("Enter");
  await until("#panel", "The group has no arrays");
  await settled();
  assert.equal(await page.locator("#save").isVisible(), false);
});

await test("damage is announced for the file that is shown only", async () => {
  await zarr("group/a", 20);
  data.get("group/a/3").fill(255, 0, 8);
  await zarr("group/b", 1);
  const arrays = ["a/.zarray", "b/.zarray"].map((path) => [path, JSON.parse(data.get(`group/${path}`))]);
  data.set("group/.zgroup", Buffer.from('{"zarr_format":2}'));
  const metadata = { ".zgroup": { zarr_format: 2 }, ...Object.fromEntries(arrays) };
  data.set("group/.zmetadata", Buffer.from(JSON.stringify({ zarr_consolidated_format: 1, metadata })));
  const later = await failing(/\/data\/group\/a\/\d+$/, late(200));
  await page.goto(`${server.origin}/?url=/data/group/`);
  await page.locator("#member option[value=b]").waitFor({ state: "attached" });
  await page.selectOption("#member", "b");
  await until("#panel .readout", "items 0 to 64 of 64");
  await page.waitForTimeout(1000);
  assert.doesNotMatch(await text("#status"), /damaged/);
  assert.equal(await problems(), "");
  await later();
  await visit("group/a/");
  assert.match(await text("#status"), /a\/ is open|1 of 20 chunks are damaged/);
  // Without another page, so that the map of the first file could still be known.
  await page.locator("#url").fill("/data/frames/frames/b2nd_033_f8_13x17.b2nd");
  await page.keyboard.press("Enter");
  await until("#title", "b2nd_033");
  await settled();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settled();
  assert.doesNotMatch(await text("#status"), /damaged/);
});

await test("of two members that are chosen quickly, the error of the first is not shown", async () => {
  const array = { zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", fill_value: 7, order: "C", filters: null, compressor: null };
  const metadata = { ".zgroup": { zarr_format: 2 }, "good/.zarray": array, "words/.zarray": { ...array, dtype: "|O", filters: [{ id: "vlen-utf8" }] } };
  data.set("quick/.zmetadata", Buffer.from(JSON.stringify({ zarr_consolidated_format: 1, metadata })));
  for (const [path, content] of Object.entries(metadata)) data.set(`quick/${path}`, Buffer.from(JSON.stringify(content)));
  await visit("quick/");
  await page.locator("#member").evaluate((choice) => {
    for (const value of ["words", "good"]) {
      choice.value = value;
      choice.dispatchEvent(new Event("change"));
    }
    document.getElementById("panel").replaceChildren();
  });
  await until("#panel .readout", "items 0 to 4 of 4");
  await settled();
  assert.equal(await problems(), "");
});

await test("lost items of a zoomed-out line are no NaN", async () => {
  await zarr("lost", 40);
  data.get("lost/1").fill(255, 0, 8);
  await visit("lost/");
  await page.locator("#panel canvas").first().focus();
  await page.keyboard.press("Home");
  const readout = () => page.locator('#panel .readout[role="status"]').innerText();
  const read = [];
  for (let press = 0; press < 40; press++) {
    read.push(await readout());
    await page.keyboard.press("ArrowRight");
  }
  assert.ok(read.some((line) => /^\[\d+ to \d+\] = cannot be read$/.test(line)), read.join("\n"));
  assert.ok(!read.some((line) => line.includes("NaN")), read.join("\n"));
});

await test("a map is read while plots move", async () => {
  await zarr("slow", 600, 20_000);
  const later = await failing(/\/data\/slow\/\d+$/, late(100));
  await page.goto(`${server.origin}/?url=/data/slow/`);
  await until("#panel .readout", "items 0");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction(() => !document.querySelector("#panel [aria-busy]"));
  assert.equal(await page.locator("#map-body canvas").getAttribute("aria-busy"), "true");
  await later();
});

await test("after a file that cannot be opened, the title is that of the page", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  assert.match(await page.title(), /b2nd_033/);
  await page.locator("#url").fill("/data/nothing-here.blp");
  await page.keyboard.press("Enter");
  await until("#problems", "no file at this URL");
  assert.equal(await page.title(), "blpk: Blosc data in the browser");
});

await end();
