// Malformed files of every format on the page.

import assert from "node:assert/strict";
import { archive, below, malformedFrame, manifest } from "../test/golden.mjs";
import { end, page, settled, start, stat, test, visit } from "./chromium.mjs";

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

await end();
