// The page in Chromium: `SCRIPT CHROMIUM PAGE [OUTPUT]`.

import assert from "node:assert/strict";
import { compareStats, finish, goldenData, outcome, shownStats, test as run } from "./harness.mjs";
import { launch, serve } from "./serve.mjs";

const program = process.argv[2];
/** The folder of the page. */
export const folder = process.argv[3];
/** Where a script writes what it makes, if anywhere. */
export const output = process.argv[4];
/** The files of the server at `/data/`. */
export const data = goldenData();
export const server = await serve(folder, data);
export const browser = await launch(program);
export const page = await browser.context.newPage();

const faults = [];
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => message.type() === "error" && !/404|Failed to load resource/.test(message.text()) && faults.push(message.text()));

/** Runs a test, which also fails by an error of the page. */
export const test = (name, body) =>
  run(name, async () => {
    faults.length = 0;
    await body();
    assert.deepEqual(faults, [], "errors of the page");
  });

/** Waits until a file is open, or cannot be opened. */
export const settled = () => page.waitForFunction(outcome, null, { timeout: 15_000 });

/** Opens the page without a file. */
export async function start() {
  await page.goto(server.origin);
  await page.waitForFunction(() => document.body.dataset.state === "ready");
}

/** Opens a file by its URL. */
export async function visit(path) {
  await page.goto(`${server.origin}/?url=${encodeURIComponent(`/data/${path}`)}`);
  await settled();
}

export const text = (selector) => page.locator(selector).innerText();
export const stat = async (name) => (await page.evaluate(shownStats))[name];
export const problems = () => page.evaluate(() => (document.getElementById("problems").hidden ? "" : document.getElementById("problems").innerText));

/** Compares the statistics of the page with those of values. */
export async function compare(values, what) {
  compareStats(await page.evaluate(shownStats), values, `${what} ${await problems()}`);
}

/** Ends the browser and the process. */
export async function end() {
  await browser.close();
  server.close();
  finish();
}
