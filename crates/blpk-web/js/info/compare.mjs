// Compares the facts that the page shows with those that `blpk info` prints: `compare.mjs BLPK`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { finish, test } from "../browser/harness.mjs";
import { archive, below, manifest } from "../test/golden.mjs";
import { loadWithFacts } from "./load.mjs";

const blpk = process.argv[2];
const { open } = await loadWithFacts();
const folder = mkdtempSync(join(tmpdir(), "blpk-info-"));

/** Writes a golden file or directory, and returns its path and its bytes. */
function written(name, path) {
  const file = archive(name).get(path);
  const files = file ? [["", file]] : below(archive(name), path);
  for (const [inner, bytes] of files) {
    const place = join(folder, name, path, inner);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  }
  return [join(folder, name, path), file ?? files];
}

const lines = (text) => text.replace(/\n+$/, "").split("\n");

/** The lines that `blpk info` prints, without the name of the program. */
function printed(path) {
  const text = execFileSync(blpk, ["info", path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return lines(text.replace(/^blpk: /gm, ""));
}

async function compare(name, paths) {
  for (const path of paths) {
    const [place, content] = written(name, path);
    const opened = await open(content);
    assert.deepEqual(lines(await opened.info()), printed(place), `${name}/${path}`);
    opened.close();
  }
}

const { files } = manifest("bloscpack");
await test(`${files.length} bloscpack files`, () => compare("bloscpack", files.map(({ file }) => file)));
const { frames } = manifest("frames");
await test(`${frames.length} frames`, () => compare("frames", frames.map(({ path }) => path)));
const stores = manifest("zarr").stores.filter(({ refused }) => !refused);
await test(`${stores.length} Zarr stores`, () => compare("zarr", stores.map(({ name }) => name)));
const directories = manifest("bcolz").cases.filter(({ expect, dtype }) => expect === "ok" && dtype !== "object");
await test(`${directories.length} bcolz directories`, () => compare("bcolz", directories.map(({ name }) => name)));
const chunks = manifest("chunks").items;
await test(`${chunks.length} chunks`, () => compare("chunks", chunks.map(({ file }) => file)));
rmSync(folder, { recursive: true, force: true });
finish();
