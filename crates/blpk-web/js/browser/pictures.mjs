// The layout at two sizes in both colour schemes. With OUTPUT, two pictures are written to this folder.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { data, end, output, page, test, visit } from "./chromium.mjs";
import { damagedZarr } from "./damaged.mjs";

await test("pictures at two sizes in both colour schemes", async () => {
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
      const kept = { "light-1280": "web-light.png", "dark-390": "web-dark.png" }[`${colorScheme}-${width}`];
      if (output && kept) writeFileSync(join(output, kept), picture);
    }
  }
});

await end();
