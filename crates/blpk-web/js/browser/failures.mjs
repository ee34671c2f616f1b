// What the page does when a server or a part of the data fails.

import assert from "node:assert/strict";
import { compress } from "../dist/index.js";
import { browser, data, end, page, problems, settled, test, text, visit } from "./chromium.mjs";

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

/** Stores a Zarr array of bytes in chunks of 64, by their numbers in it. */
async function zarr(name, chunks) {
  const meta = { zarr_format: 2, shape: [64 * chunks], chunks: [64], dtype: "|u1", fill_value: 9, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "lz4", clevel: 1, shuffle: 0, blocksize: 0 };
  data.set(`${name}/.zarray`, Buffer.from(JSON.stringify(meta)));
  for (let chunk = 0; chunk < chunks; chunk++) data.set(`${name}/${chunk}`, Buffer.from(await compress(new Uint8Array(64).fill(chunk), { typesize: 1 })));
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

await end();
