// How people use the page: keys, mouse, files that are chosen or dropped, downloads.

import assert from "node:assert/strict";
import { archive } from "../test/golden.mjs";
import { open as openFile } from "../dist/index.js";
import { browser, compare, end, page, settled, start, test, text, visit } from "./chromium.mjs";
import { numbers } from "./harness.mjs";

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
  await start();
  await page.waitForLoadState("networkidle");
  await browser.context.setOffline(true);
  try {
    const name = "frames/b2nd_033_f8_13x17.b2nd";
    await page.locator("#file").setInputFiles({ name: "a.b2nd", mimeType: "application/octet-stream", buffer: Buffer.from(archive("frames").get(name)) });
    await settled();
    await compare(await numbers(archive("frames").get(name)), "file");
    assert.match(await text("#traffic"), /read of .* stored/);
  } finally {
    await browser.context.setOffline(false);
  }
});

await end();
