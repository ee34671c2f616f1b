// Malformed files of every format on the page.

import assert from "node:assert/strict";
import { archive, below, malformedFrame, manifest } from "../test/golden.mjs";
import { end, page, problems, settled, start, stat, test, visit } from "./chromium.mjs";

await test("malformed files of every format do not break the page", async () => {
  const { malformed } = manifest("bloscpack");
  const frames = manifest("frames").malformed;
  const damaged = manifest("bcolz").cases.filter(({ expect }) => expect !== "ok");
  await start();
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

await test("arrays that only their metadata has scroll to their end", async () => {
  const length = 2 ** 57;
  const meta = { zarr_format: 2, shape: [length], chunks: [1 << 20], dtype: "|u1", fill_value: 7, order: "C", filters: null, compressor: null };
  await start();
  await page.evaluate((text) => {
    document.body.dataset.state = "waiting";
    window.dispatchEvent(new CustomEvent("blpk-open", { detail: { files: [[".zarray", new File([text], ".zarray")]] } }));
  }, JSON.stringify(meta));
  await settled();
  assert.equal(await problems(), "");
  for (const view of ["Values", "Bytes"]) {
    await page.getByRole("tab", { name: view }).click();
    const grid = page.locator("#panel [role=grid]");
    await grid.press("End");
    await page.waitForFunction(() => Number(document.querySelector("#panel tr.current")?.getAttribute("aria-rowindex")) > 1e9);
    await grid.press("Home");
    await page.waitForFunction(() => document.querySelector("#panel tr.current")?.getAttribute("aria-rowindex") === "2");
  }
});

await end();
