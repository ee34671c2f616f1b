// What the tests of the page in all browsers share: golden files, expected numbers, the count of tests.

import assert from "node:assert/strict";
import { archive, manifest } from "../test/golden.mjs";
import { open } from "../dist/index.js";

/** Returns the golden files of all formats by the paths at which the server has them. */
export function goldenData() {
  const data = new Map();
  for (const name of ["bloscpack", "frames", "zarr", "bcolz"]) for (const [path, bytes] of archive(name)) data.set(`${name}/${path}`, bytes);
  for (const item of manifest("chunks").items) data.set(item.file, archive("chunks").get(item.file));
  return data;
}

/** Returns a `.npy` file of items. */
export function npyOf(dtype, shape, items) {
  const header = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${shape.map((length) => `${length},`).join("")}), }`.padEnd(117);
  const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength);
  return Buffer.concat([Buffer.from(`\x93NUMPY\x01\x00v\x00${header}\n`, "latin1"), bytes]);
}

/** The numbers of an array, by the package in Node, whose results the golden digests confirm. */
export async function numbers(input, member) {
  const root = await open(input);
  const opened = member ? await root.member(member) : root;
  const { data } = await opened.read();
  return [...data].map(Number);
}

/** Compares the statistics that the page shows with those of values. */
export function compareStats(shown, values, what) {
  const near = (name, expected) => assert.ok(Math.abs(shown[name] - expected) <= 1e-5 * Math.max(1, Math.abs(expected)), `${what} ${name}: ${shown[name]}, expected ${expected}`);
  const finite = values.filter(Number.isFinite);
  assert.equal(shown.values, values.length, what);
  near("min", Math.min(...finite));
  near("max", Math.max(...finite));
  near("mean", finite.reduce((sum, value) => sum + value, 0) / finite.length);
}

/** Runs in a page. Returns the statistics that it shows by their names. */
export function shownStats() {
  const stats = [...document.querySelectorAll("[data-stat]")];
  return Object.fromEntries(stats.map(({ dataset, innerText }) => [dataset.stat, Number(innerText.replaceAll(",", ""))]));
}

/** Runs in a page. Returns whether a file is open, or cannot be opened, once nothing is being read. */
export function outcome() {
  const { state } = document.body.dataset;
  return ["open", "failed"].includes(state) && !document.querySelector("[aria-busy]") && state;
}

let [passed, failed] = [0, 0];

/** Runs a test, unless the variable `ONLY` names another. */
export async function test(name, run) {
  const only = process.env.ONLY;
  if (only && !name.includes(only)) return;
  const start = Date.now();
  try {
    await run();
    passed++;
    console.log(`ok ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

/** Prints the counts, and ends the process. */
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
}
