// Every way to open files: chosen, dropped, by the directory picker, by a URL, without a network.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { archive, below } from "../test/golden.mjs";
import { browser, compare, end, page, problems, settled, start, test, text } from "./chromium.mjs";
import { numbers } from "./harness.mjs";

const FRAME = "frames/b2nd_033_f8_13x17.b2nd";
const SPARSE = "frames/b2nd_034_f8_5x6x7.sframe";
const ZARR = "v2/codec/blosc_lz4_1_C";
const TABLE = "ref/tab/mixed";

/** Golden files on the disk, for what the browser itself reads. */
const folder = mkdtempSync(join(tmpdir(), "blpk-inputs-"));
function write(name, files) {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), bytes);
  }
}
write(".", [["a.b2nd", archive("frames").get(FRAME)], ["b.txt", Buffer.from("text")]]);
write("sparse.b2nd", below(archive("frames"), SPARSE));
write("array.zarr", below(archive("zarr"), ZARR));
write("table", below(archive("bcolz"), TABLE));

/** The plane that is shown first of the sparse frame. */
const middle = async () => (await numbers(below(archive("frames"), SPARSE))).slice(2 * 42, 3 * 42);

const session = await browser.context.newCDPSession(page);

/** Drops files or folders of the disk on the page, as the desktop does. */
async function drop(...names) {
  await start();
  const data = { items: [], files: names.map((name) => join(folder, name)), dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    if (type === "dragOver") assert.equal(await page.evaluate(() => document.body.classList.contains("dropping")), true);
  }
  await settled();
  assert.equal(await page.evaluate(() => document.body.classList.contains("dropping")), false);
}

await test("a dropped file", async () => {
  await drop("a.b2nd");
  assert.match(await text("#title"), /^a\.b2nd: a Blosc2 frame/);
  await compare(await numbers(archive("frames").get(FRAME)), "file");
});

await test("dropped folders of every format", async () => {
  await drop("sparse.b2nd");
  await compare(await middle(), "sparse frame");
  await drop("array.zarr");
  await compare(await numbers(below(archive("zarr"), ZARR)), "Zarr");
  await drop("table");
  assert.match(await text("#title"), /^table: a bcolz ctable/);
});

await test("dropped files that are a folder together, and others that are none", async () => {
  const names = below(archive("zarr"), ZARR).map(([path]) => path);
  await drop(...names.map((name) => `array.zarr/${name}`));
  await compare(await numbers(below(archive("zarr"), ZARR)), "Zarr");
  await drop("a.b2nd", "b.txt");
  assert.equal(await page.evaluate(() => document.body.dataset.state), "failed");
  assert.match(await problems(), /2 files: nothing that can be read/);
});

/** Drops a folder whose list ends when the function that it returns is called: empty, or with an error. */
async function dropListed() {
  await start();
  await page.evaluate(() => {
    const createReader = () => ({ readEntries: (resolve, reject) => (window.listed = (error) => (error ? reject(new DOMException(error, "NotReadableError")) : resolve([]))) });
    DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true, name: "array.zarr", createReader });
  });
  const data = { items: [], files: [join(folder, "array.zarr")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  await page.waitForFunction(() => window.listed !== undefined);
  return (error) => page.evaluate((message) => window.listed(message), error);
}

await test("a dropped folder that cannot be listed says so", async () => {
  const end = await dropListed();
  assert.equal(await text("#status"), "listing array.zarr …");
  await end("not allowed");
  await page.waitForFunction(() => document.getElementById("problems").innerText === "array.zarr: not allowed");
  assert.equal(await text("#status"), "array.zarr cannot be listed");
});

await test("a folder that is listed slowly does not replace a file that is opened meanwhile", async () => {
  for (const error of [undefined, "not allowed"]) {
    const end = await dropListed();
    await page.locator("#file").setInputFiles(join(folder, "a.b2nd"));
    await settled();
    await end(error);
    await page.waitForTimeout(200);
    await settled();
    assert.match(await text("#title"), /^a\.b2nd: /);
    assert.match(await text("#status"), /^a\.b2nd is open/);
    assert.equal(await problems(), "");
  }
});

await test("a dropped folder with more files than a call has arguments, of which a view reads a part", async () => {
  await start();
  const meta = JSON.stringify({ zarr_format: 2, shape: [130_000], chunks: [1], dtype: "|u1", fill_value: 7, order: "C", filters: null, compressor: null });
  await page.evaluate((zarray) => {
    const entry = (name, file) => ({ name, isDirectory: false, file: (resolve) => resolve(file) });
    const chunks = Array.from({ length: 200 }, (_, at) => new File([Uint8Array.of(at)], "chunk"));
    const all = [entry(".zarray", new File([zarray], "")), ...Array.from({ length: 130_000 }, (_, at) => entry(String(at), chunks[at % 200]))];
    const createReader = () => ({ readEntries: (resolve) => resolve(all.splice(0, 1000)) });
    DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true, name: "many.zarr", createReader });
  }, meta);
  const data = { items: [], files: [join(folder, "array.zarr")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  await settled();
  assert.match(await text("#title"), /^many\.zarr: a Zarr/);
  await page.getByRole("button", { name: /^First/ }).click();
  await settled();
  await compare(Array.from({ length: 2047 }, (_, at) => at % 200), "first files");
  await page.getByRole("tab", { name: "Values" }).click();
  await page.locator(".scroller").press("End");
  await page.waitForFunction((last) => document.querySelector("tr.current td")?.innerText === last, String(129_999 % 200));
});

await test("text that is dropped does nothing", async () => {
  await start();
  const data = { items: [{ mimeType: "text/plain", data: "text" }], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  assert.equal(await page.evaluate(() => document.body.dataset.state), "ready");
});

await test("the directory picker", async () => {
  for (const [name, input, expected] of [["array.zarr", below(archive("zarr"), ZARR)], ["sparse.b2nd", below(archive("frames"), SPARSE), await middle()]]) {
    await start();
    const files = input.map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]);
    // A dialog of the desktop cannot be driven. The page gets a handle of the same class, of a directory of the browser.
    await page.evaluate(
      async ([given, title]) => {
        const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(title, { create: true });
        for (const [path, base64] of given) {
          const names = path.split("/");
          let at = root;
          for (const part of names.slice(0, -1)) at = await at.getDirectoryHandle(part, { create: true });
          const writer = await (await at.getFileHandle(names.at(-1), { create: true })).createWritable();
          await writer.write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
          await writer.close();
        }
        window.showDirectoryPicker = async () => root;
      },
      [files, name],
    );
    await page.getByRole("button", { name: "Choose a folder" }).click();
    await settled();
    assert.match(await text("#title"), new RegExp(`^${name.replace(".", "\\.")}: `));
    await compare(expected ?? (await numbers(input)), name);
  }
});

await test("a folder in browsers without the directory picker, and a picker that is closed", async () => {
  await start();
  await page.evaluate(() => delete window.showDirectoryPicker && (window.showDirectoryPicker = undefined));
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose a folder" }).click()]);
  await chooser.setFiles(join(folder, "array.zarr"));
  await settled();
  await compare(await numbers(below(archive("zarr"), ZARR)), "folder");
  await start();
  await page.evaluate(() => (window.showDirectoryPicker = async () => Promise.reject(new DOMException("closed", "AbortError"))));
  await page.getByRole("button", { name: "Choose a folder" }).click();
  assert.equal(await page.evaluate(() => document.body.dataset.state), "ready");
});

await test("a chosen file, without a network", async () => {
  await start();
  await page.waitForLoadState("networkidle");
  await browser.context.setOffline(true);
  try {
    await page.locator("#file").setInputFiles(join(folder, "a.b2nd"));
    await settled();
    await compare(await numbers(archive("frames").get(FRAME)), "file");
    assert.match(await text("#traffic"), /read of .* stored/);
  } finally {
    await browser.context.setOffline(false);
  }
});

await test("another file while one is read, without a network", async () => {
  await start();
  await page.waitForLoadState("networkidle");
  await browser.context.setOffline(true);
  try {
    const file = Buffer.from(archive("frames").get(FRAME)).toString("base64");
    await page.evaluate((base64) => {
      const made = new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], "a.b2nd");
      // The second file ends the worker that reads the first one.
      for (let time = 0; time < 2; time++) window.dispatchEvent(new CustomEvent("blpk-open", { detail: { file: made } }));
    }, file);
    await settled();
    assert.equal(await problems(), "");
    await compare(await numbers(archive("frames").get(FRAME)), "second file");
  } finally {
    await browser.context.setOffline(false);
  }
});

await test("a URL that is typed, and shown in the address", async () => {
  await start();
  await page.locator("#url").fill(`/data/frames/${FRAME}`);
  await page.locator("#url-form button").click();
  await settled();
  await compare(await numbers(archive("frames").get(FRAME)), "url");
  await page.reload();
  await settled();
  await compare(await numbers(archive("frames").get(FRAME)), "address");
});

await test("an invalid URL, typed and in the address", async () => {
  const failed = async () => {
    await page.waitForFunction(() => document.body.dataset.state === "failed");
    assert.match(await problems(), /^http:\/\/: not a URL/);
    assert.match(await text("#status"), /cannot be opened/);
  };
  await start();
  await page.locator("#url").fill("http://");
  await page.locator("#url-form button").click();
  await failed();
  await page.goto(`${new URL(page.url()).origin}/?url=http://`);
  await failed();
});

rmSync(folder, { recursive: true });
await end();
