// The page without a mouse and without sight: the accessibility tree, and every view by keys alone.

import assert from "node:assert/strict";
import { browser, end, page, start, test, visit } from "./chromium.mjs";

const session = await browser.context.newCDPSession(page);

/** Returns the nodes of the accessibility tree that a screen reader sees. */
async function nodes() {
  const { nodes: all } = await session.send("Accessibility.getFullAXTree");
  const plain = (node) => ({
    role: node.role?.value,
    name: (node.name?.value ?? "").trim(),
    ...Object.fromEntries((node.properties ?? []).map(({ name, value }) => [name, value.value])),
  });
  return all.filter(({ ignored }) => !ignored).map(plain);
}

/** Fails if something that takes the focus has no name. */
function expectNames(all, where) {
  const nameless = all.filter(({ focusable, name, role }) => focusable && name === "" && role !== "RootWebArea");
  assert.deepEqual(nameless, [], where);
}

const named = (all, role) => all.filter((node) => node.role === role).map(({ name }) => name);

/** Presses a key until the focus is on an element that a selector finds. */
async function tabTo(selector, key = "Tab") {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  throw new Error(`the key ${key} does not come to ${selector}`);
}

await test("everything that takes the focus has a name", async () => {
  await start();
  const empty = await nodes();
  expectNames(empty, "start");
  assert.ok(named(empty, "button").includes("Choose a folder"));
  for (const path of ["frames/frames/b2nd_034_f8_5x6x7.sframe/", "frames/frames/b2nd_032_f8_50.b2frame", "bcolz/ref/tab/mixed/", "zarr/v2/codec/blosc_lz4_1_C/"]) {
    await visit(path);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
      expectNames(await nodes(), `${path} ${await tab.innerText()}`);
    }
    expectNames(await nodes(), path);
  }
});

await test("roles say what the parts are", async () => {
  await visit("frames/frames/b2nd_034_f8_5x6x7.sframe/");
  const all = await nodes();
  assert.deepEqual(named(all, "tab"), ["Heat map", "Values", "Bytes"]);
  assert.equal(all.find(({ role, name }) => role === "tab" && name === "Heat map").selected, true);
  assert.match(named(all, "application").join("\n"), /Map of chunks\. 8 of 8 chunks.*\n*.*Heat map of rows 0 to 6 and columns 0 to 7.*from 534 to 657/);
  assert.match(named(all, "image").join("\n"), /Histogram of the shown values from 534 to 657/);
  assert.ok(named(all, "slider").includes("axis 0"));
  for (const heading of ["Facts", "Chunks", "Data", "Download a slice"]) assert.ok(named(all, "heading").includes(heading), heading);
  assert.ok(all.some(({ role }) => role === "status"));
  await visit("bcolz/ref/tab/mixed/");
  await page.locator(".scroller").focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
  const grid = await nodes();
  assert.deepEqual(named(grid, "grid"), ["Table of 500 rows and 7 columns"]);
  const headers = named(grid, "columnheader");
  assert.deepEqual(headers, ["#", "i", "f", "s", "u", "b", "t", "m"]);
  const rows = grid.filter(({ role }) => role === "row");
  assert.match(rows.find(({ selected }) => selected).name, /^1 4 0\.5 zz a false/);
});

await test("a damaged file is announced", async () => {
  await visit("bloscpack/nothing-here.blp");
  const all = await nodes();
  assert.ok(all.some(({ role }) => role === "alert"));
  assert.match(await page.locator("#problems").innerText(), /there is no file at this URL/);
});

await test("all views are reached by keys alone", async () => {
  await start();
  await page.evaluate(() => document.activeElement.blur());
  await tabTo("#url");
  await page.keyboard.type("/data/frames/frames/b2nd_034_f8_5x6x7.sframe/");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.body.dataset.state === "open" && !document.querySelector("[aria-busy]"));
  assert.match(page.url(), /url=.*b2nd_034/);
  await tabTo("#map-body canvas");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#map-body .readout").last().innerText(), /^Chunk 1: zstd after shuffle/);
  await tabTo("[role=tab]");
  await tabTo("input[type=range]");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("slice").value === "3,0:6,0:7");
  await tabTo("#panel canvas");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator("#panel .readout").first().innerText(), /^\[3, 1, 0\] = /);
  await tabTo("[role=tab]", "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await tabTo(".scroller");
  await page.keyboard.press("End");
  assert.equal(await page.locator("tr.current th").innerText(), "4");
  await tabTo("#slice");
  await tabTo("#save-form button");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.equal(download.suggestedFilename(), "slice.npy");
});

await end();
