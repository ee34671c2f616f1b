// Opens a file of each format on the page in Firefox, and compares its numbers: `firefox.mjs FIREFOX PAGE`.

import assert from "node:assert/strict";
import { archive, below, manifest } from "../test/golden.mjs";
import { open as openFile } from "../dist/index.js";
import { compareStats, finish, goldenData, numbers, outcome, shownStats, test } from "./harness.mjs";
import { launchFirefox } from "./marionette.mjs";
import { serve } from "./serve.mjs";

const [program, folder] = process.argv.slice(2);
const data = goldenData();
const server = await serve(folder, data);
const firefox = await launchFirefox(program);
console.log(`Firefox ${firefox.version}`);

/** Waits until a function of the page returns something, and returns it. */
async function until(run, ...args) {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = await firefox.evaluate(run, ...args);
    if (found) return found;
    if (Date.now() > end) throw new Error(`the page does not come to ${run}: ${await firefox.evaluate(() => document.body.innerText)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const settled = () => until(outcome);

/** Opens a file by its URL. Returns what the page shows of it. */
async function visit(path) {
  await firefox.goto(`${server.origin}/?url=${encodeURIComponent(`/data/${path}`)}`);
  await settled();
  const shown = await firefox.evaluate(() => {
    const text = (id) => document.getElementById(id).innerText;
    return { state: document.body.dataset.state, title: text("title"), facts: text("facts"), problems: text("problems") };
  });
  return { ...shown, stats: await firefox.evaluate(shownStats) };
}

async function compare(path, input, title) {
  const shown = await visit(path);
  assert.equal(shown.state, "open", shown.problems);
  assert.match(shown.title, title);
  assert.notEqual(shown.facts, "");
  compareStats(shown.stats, await numbers(input), path);
}

const frame = "frames/b2nd_033_f8_13x17.b2nd";
await test("a frame with two axes, and its keys", async () => {
  const bytes = archive("frames").get(frame);
  await compare(`frames/${frame}`, bytes, /Blosc2 frame/);
  const values = await numbers(bytes);
  const readout = await firefox.evaluate(() => {
    const canvas = document.querySelector("#panel canvas");
    for (const key of ["ArrowDown", "ArrowRight"]) canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return document.querySelector("#panel .readout").innerText;
  });
  assert.equal(readout, `[1, 1] = ${values[18]}`);
});

await test("a frame with one axis", () => compare("frames/frames/b2nd_032_f8_50.b2frame", archive("frames").get("frames/b2nd_032_f8_50.b2frame"), /Blosc2 frame/));

await test("a bloscpack file with an array", async () => {
  for (const [name, bytes] of archive("bloscpack")) {
    const { description } = await openFile(bytes).catch(() => ({ description: {} }));
    if (description.isTyped && description.shape.length > 0 && description.leaves?.[0]?.kind === "f") return compare(`bloscpack/${name}`, bytes, /bloscpack file/);
  }
  throw new Error("no file has an array");
});

await test("a Zarr array", async () => {
  const item = manifest("zarr").stores.find(({ name, refused, shape }) => !refused && /^v2\/codec\/blosc/.test(name) && shape.length === 2);
  await compare(`zarr/${item.name}/`, below(archive("zarr"), item.name), /Zarr array/);
});

await test("a bcolz table", async () => {
  const { title } = await visit("bcolz/ref/tab/mixed/");
  assert.match(title, /ctable/);
  const column = await (await openFile(below(archive("bcolz"), "ref/tab/mixed"))).member("i");
  const [first = []] = await column.texts();
  const cell = await until(() => {
    const text = document.querySelector(".scroller tbody td")?.innerText;
    return text !== "…" && text;
  });
  assert.equal(cell, first[0]);
});

await test("a damaged file is shown as bytes, with the problem", async () => {
  data.set("cut.blp", archive("bloscpack").get("matrix-blosclz-None.blp").slice(0, 40));
  const { problems } = await visit("cut.blp");
  assert.notEqual(problems, "");
  await until(() => document.querySelector(".scroller tbody tr td:last-child")?.innerText.startsWith("blpk"));
});

await test("files that are dropped, chosen, and in memory", async () => {
  const base64 = Buffer.from(archive("frames").get(frame)).toString("base64");
  const open = (how) =>
    firefox.evaluate(
      (text, way) => {
        document.body.dataset.state = "waiting";
        const file = new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], "a.b2nd");
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(file);
        if (way === "drop") document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        else {
          const input = document.getElementById("file");
          input.files = dataTransfer.files;
          input.dispatchEvent(new Event("change"));
        }
      },
      base64,
      how,
    );
  for (const how of ["drop", "choose"]) {
    await firefox.goto(server.origin);
    await until(() => document.body.dataset.state === "ready");
    await open(how);
    assert.equal(await settled(), "open", how);
    assert.equal(await firefox.evaluate(() => document.querySelector('[data-stat="values"]').innerText), "221");
  }
});

await firefox.close();
server.close();
finish();
