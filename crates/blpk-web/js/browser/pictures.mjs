// The layout of every view at two sizes in both colour schemes. With OUTPUT, two pictures are written to this folder; with the
// variable ALL, all of them.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { data, end, output, page, start, test, visit } from "./chromium.mjs";
import { damagedZarr } from "./damaged.mjs";
import { npyOf } from "./harness.mjs";

for (const [name, bytes] of await damagedZarr()) data.set(`damaged/${name}`, bytes);
data.set("wave.npy", npyOf("<f8", [50_000], Float64Array.from({ length: 50_000 }, (_, at) => 1e6 * Math.sin(at / 4000) * Math.cos(at / 77))));
data.set("a-long-name-of-a-folder-without-any-spaces/and-of-a-file-that-is-no-format-at-all.b2nd", new Uint8Array(3000).fill(0xe2));

/** What is shown: the file, and the view if it is not the first one. */
const VIEWS = {
  heat: ["damaged/"],
  values: ["damaged/", "Values"],
  line: ["wave.npy"],
  table: ["bcolz/ref/tab/mixed/"],
  bytes: ["bloscpack/app-100.blp"],
  group: ["zarr/v3/group/consolidated/"],
  unknown: ["a-long-name-of-a-folder-without-any-spaces/and-of-a-file-that-is-no-format-at-all.b2nd"],
  absent: ["nowhere/a-file-that-the-server-does-not-have.blp"],
};

/** Runs in the page. Returns what is wider than the page, or beyond its edges. */
function tooWide() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) return [`the page is ${scrollWidth} pixels wide`];
  const inner = (element) => element.closest(".scroller, pre, .skip, .hidden-input") !== null && !element.matches(".scroller, pre");
  const isOut = (element) => !inner(element) && element.checkVisibility() && (element.getBoundingClientRect().right > clientWidth + 0.5 || element.getBoundingClientRect().left < -0.5);
  return [...document.body.querySelectorAll("*")].filter(isOut).map(({ outerHTML }) => outerHTML.slice(0, 80));
}

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    await test(`pictures in ${colorScheme} colours, ${width} pixels wide`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await start();
      assert.deepEqual(await page.evaluate(tooWide), [], "no file");
      for (const [view, [path, tab]] of Object.entries(VIEWS)) {
        await visit(path);
        if (tab) await page.getByRole("tab", { name: tab }).click();
        await page.waitForTimeout(300);
        assert.deepEqual(await page.evaluate(tooWide), [], view);
        const picture = await page.screenshot({ fullPage: true });
        assert.ok(picture.length > 10_000, `${view}: ${picture.length} bytes`);
        const kept = { "heat-light-1280": "web-light.png", "heat-dark-390": "web-dark.png" }[`${view}-${colorScheme}-${width}`];
        if (output && process.env.ALL) writeFileSync(join(output, `${view}-${colorScheme}-${width}.png`), picture);
        else if (output && kept) writeFileSync(join(output, kept), picture);
      }
    });
  }
}

await end();
