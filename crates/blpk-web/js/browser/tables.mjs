// Tables and grids: columns, rows, members.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { archive, below } from "../test/golden.mjs";
import { compressSync, load, open as openFile } from "../dist/index.js";
import { compare, data, end, page, problems, settled, test, text, visit } from "./chromium.mjs";
import { npyOf, numbers } from "./harness.mjs";

/** Puts a bcolz table with one column of int32 on the server. A chunk is one row. */
async function putTable(path, column, rows, across) {
  await load();
  const put = (name, content) => data.set(`${path}/${name}`, Buffer.from(typeof content === "string" ? content : JSON.stringify(content)));
  put("__rootdirs__", { names: [column] });
  put("__attrs__", {});
  put(`${column}/__attrs__`, {});
  put(`${column}/meta/storage`, { dtype: "int32", cparams: { clevel: 5, shuffle: 1, cname: "lz4", quantize: 0 }, chunklen: 1, expectedlen: rows, dflt: 0 });
  put(`${column}/meta/sizes`, { shape: [rows, across], nbytes: rows * across * 4, cbytes: 0 });
  const head = [...Buffer.from("blpk"), 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
  for (let row = 0; row < rows; row++) {
    const items = Int32Array.from({ length: across }, (_, at) => row * across + at);
    data.set(`${path}/${column}/data/__${row}.blp`, Buffer.from([...head, ...compressSync(items)]));
  }
}

const cells = (row) => page.locator(".scroller tbody tr").nth(row).locator("td");

await test("rows of a table are saved as CSV", async () => {
  await visit("bcolz/ref/tab/mixed/");
  await page.locator("#slice").fill("2:5");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-form button").click()]);
  const lines = readFileSync(await download.path(), "utf8").trimEnd().split("\n");
  const table = await openFile(below(archive("bcolz"), "ref/tab/mixed"));
  assert.equal(lines.length, 4);
  assert.equal(lines[0], "i,f,s,u,b,t,m_0,m_1");
  const column = await (await table.member("i")).texts("2:5");
  assert.deepEqual(lines.slice(1).map((line) => line.split(",")[0]), column.flat());
});

await test("a column that ends before others has marks there, and the problem is said", async () => {
  await visit("bcolz/ref/badtab/column_length_mismatch/");
  await page.locator(".scroller").press("End");
  await page.waitForFunction(() => document.querySelector("tr.current td:last-child")?.innerText === "✗");
  assert.match(await problems(), /b: the column has 29 rows/);
  const others = await page.locator("tr.current td").allInnerTexts();
  assert.ok(others.length === 2 && others[0] !== "✗", others.join(" "));
  await page.locator(".scroller").press("Home");
  await page.waitForFunction(() => /^-?\d/.test(document.querySelector("tr.current td:last-child")?.innerText ?? ""));
});

await test("a cell of a wide column shows its first items", async () => {
  await putTable("wide-table", "w", 3, 400);
  await visit("wide-table/");
  await page.waitForFunction(() => document.querySelector(".scroller tbody tr td")?.innerText.startsWith("0 1 2"));
  const items = (await cells(2).first().innerText()).split(" ");
  assert.deepEqual([items.length, items[0], items[255], items[256]], [257, "800", "1055", "…"]);
  assert.equal(await problems(), "");
  await page.locator("#member").selectOption("w");
  await page.waitForFunction(() => document.getElementById("tabs").innerText.includes("Heat map"));
  await settled();
  await compare(Array.from({ length: 1200 }, (_, at) => at), "column");
});

await test("members that are chosen again show what they did before", async () => {
  const files = below(archive("bcolz"), "ref/tab/mixed");
  await visit("bcolz/ref/tab/mixed/");
  const requests = async () => Number(await page.locator("#traffic").getAttribute("data-requests"));
  const show = async (name) => {
    await page.locator("#member").selectOption(name);
    const expected = await numbers(files, name);
    await page.waitForFunction((most) => Math.abs(Number(document.querySelector("[data-stat=max]")?.innerText.replaceAll(",", "")) - most) <= Math.abs(most) * 1e-5, Math.max(...expected));
    await settled();
    await compare(expected, name);
  };
  for (const name of ["i", "b"]) await show(name);
  const before = await requests();
  for (const name of ["i", "b", "i"]) await show(name);
  assert.equal(await requests(), before, "nothing is read again");
  await page.locator("#member").selectOption("");
  await page.waitForFunction(() => document.querySelectorAll(".scroller tbody td").length > 20);
});

await test("items with many fields are shown a part at a time", async () => {
  const fields = 3000;
  const descr = `[${Array.from({ length: fields }, (_, at) => `('f${at}', '|u1')`).join(", ")}]`;
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': (2, 5), }\n`;
  const head = Buffer.from([0x93, ...Buffer.from("NUMPY"), 2, 0, ...new Uint8Array(Uint32Array.of(header.length).buffer)]);
  data.set("fields.npy", Buffer.concat([head, Buffer.from(header), Buffer.from(Uint8Array.from({ length: 10 * fields }, (_, at) => at % 251))]));
  await visit("fields.npy");
  const row = (number) => page.locator(".scroller tbody tr").nth(number).locator("td").allInnerTexts();
  const shown = (first, start) => Array.from({ length: 24 }, (_, at) => String((start * 5 * fields + first + at) % 251));
  await page.waitForFunction(() => document.querySelectorAll(".scroller tbody tr td").length === 48);
  assert.deepEqual(await row(1), shown(0, 1));
  // From the last fields of the first item to the first ones of the second.
  await page.getByLabel("first column, as a number").fill(String(fields - 4));
  await page.keyboard.press("Tab");
  await page.waitForFunction((name) => document.querySelector(".scroller thead").innerText.includes(name), "1 f0");
  await page.waitForFunction((text) => document.querySelector(".scroller tbody tr td").innerText === text, shown(fields - 4, 0)[0]);
  assert.deepEqual(await row(0), shown(fields - 4, 0));
  assert.deepEqual(await row(1), shown(fields - 4, 1));
});

await test("tables go to a row that is typed", async () => {
  data.set("rows.npy", npyOf("<f4", [1200, 1000], Float32Array.from({ length: 1200 * 1000 }, (_, at) => at)));
  await visit("rows.npy");
  await page.getByRole("tab", { name: "Values" }).click();
  await page.getByLabel(/Go to line/).fill("777");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("tr.current td")?.innerText === "777000.0");
  await page.getByLabel(/Go to line/).fill("20.6");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("tr.current td")?.innerText === "21000.0");
  assert.equal(await page.getByLabel(/Go to line/).inputValue(), "21");
});

await end();
