// Races the package against numcodecs' Blosc in Chromium: `bench.mjs CHROMIUM PAGE [TABLE]`.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, serve } from "./serve.mjs";

const [chromium, , table] = process.argv.slice(2);
const server = await serve(fileURLToPath(new URL("..", import.meta.url)));
const browser = await launch(chromium);
const page = await browser.context.newPage();
await page.goto(`${server.origin}/browser/empty.html`);

/** Runs in the page. Returns the least time of each for all chunks, in milliseconds. */
async function race({ codec, clevel, set, rounds, typesize, size }) {
  const [ours, { default: Numcodecs }] = await Promise.all([import("/dist/index.js"), import("/node_modules/numcodecs/dist/blosc.js")]);
  await ours.load();
  const items = new Float64Array(2 << 20);
  const sets = { wave: (at) => Math.round(1000 * Math.sin(at / 500)) / 8, walk: (() => { let [value, seed] = [100, 1]; return () => (value += ((seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5)); })() };
  for (let at = 0; at < items.length; at++) items[at] = sets[set](at);
  const partsOf = (buffer) => Array.from({ length: items.byteLength / size }, (_, part) => new Uint8Array(buffer, part * size, size));
  const parts = partsOf(items.buffer);
  const theirs = new Numcodecs(clevel, codec, 1, 0);
  // numcodecs always compresses with a typesize of 4, which is wrong for these items. Both decode the same chunks.
  const options = { codec, clevel, filters: "shuffle", typesize };
  const ourChunks = parts.map((part) => ours.compressSync(part, options));
  const theirChunks = await Promise.all(parts.map((part) => theirs.encode(part)));
  const chunks = typesize === 4 ? theirChunks : ourChunks;
  const into = partsOf(new ArrayBuffer(items.byteLength));
  const room = new Uint8Array(size + 32).fill(1);
  const each = (list, run) => async () => {
    for (const [at, one] of list.entries()) await run(one, at);
  };
  const runs = {
    "decode ours": each(chunks, (chunk) => ours.decompressSync(chunk)),
    "decode theirs": each(chunks, (chunk) => theirs.decode(chunk)),
    "into ours": each(chunks, (chunk, at) => ours.decompressSync(chunk, { into: into[at] })),
    "into theirs": each(chunks, (chunk, at) => theirs.decode(chunk, into[at])),
    "encode ours": each(parts, (part) => ours.compressSync(part, options)),
    "encode theirs": each(parts, (part) => theirs.encode(part)),
    "encode_into ours": each(parts, (part) => ours.compressSync(part, { ...options, into: room })),
    // Nothing is decoded faster into a new array than it is filled.
    "fill ours": each(parts, () => new Uint8Array(size).fill(1)),
  };
  const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
  let isRight = true;
  for (const [at, part] of parts.entries()) {
    isRight &&= same(await theirs.decode(ourChunks[at]), part) && same(ours.decompressSync(theirChunks[at]), part);
  }
  const times = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const start = performance.now();
      await run();
      const time = performance.now() - start;
      times[name] = Math.min(times[name] ?? Number.POSITIVE_INFINITY, time);
    }
  }
  const total = (list) => list.reduce((sum, chunk) => sum + chunk.length, 0);
  return { times, isRight, nbytes: items.byteLength, ours: total(ourChunks), theirs: total(theirChunks) };
}

const cases = [];
for (const size of [16 << 20, 1 << 20]) {
  for (const set of ["wave", "walk"]) {
    for (const typesize of [4, 8]) {
      for (const [codec, clevel, rounds] of [["lz4", 5, 25], ["blosclz", 5, 25], ["zstd", 3, 7], ["zlib", 3, 7]]) cases.push({ codec, clevel, set, rounds, typesize, size });
    }
  }
}
const names = ["decode", "into", "encode", "encode_into"];
const rows = [["chunk_MiB", "set", "codec", "clevel", "typesize", "ratio", "ratio_numcodecs", ...names.flatMap((name) => [`${name}_MBps`, `${name}_numcodecs_MBps`, `${name}_times`]), "fill_new_array_MBps"]];
let [passed, failed] = [0, 0];
for (const each of cases) {
  const { times, isRight, nbytes, ours, theirs } = await page.evaluate(race, each);
  // numcodecs always encodes to a new array.
  times["encode_into theirs"] = times["encode theirs"];
  assert.ok(isRight, JSON.stringify(each));
  const speed = (name) => nbytes / 1e3 / times[name];
  const ratios = [nbytes / ours, nbytes / theirs].map((ratio) => ratio.toFixed(2));
  const figures = names.flatMap((name) => {
    const [our, their] = [speed(`${name} ours`), speed(`${name} theirs`)];
    return [our.toFixed(0), their.toFixed(0), (our / their).toFixed(2)];
  });
  rows.push([each.size >> 20, each.set, each.codec, each.clevel, each.typesize, ...ratios, ...figures, speed("fill ours").toFixed(0)]);
  console.log(rows.at(-1).join("\t"));
  if (each.codec === "lz4") {
    for (const name of ["into", "encode_into"]) speed(`${name} ours`) / speed(`${name} theirs`) >= 5 ? passed++ : failed++;
  }
}
const version = await browser.context.browser()?.version();
const head = `# 16 MiB of float64 in chunks, shuffle. Chromium ${version ?? ""}, headless, one thread. The least time of 7 to 25 rounds. into, encode_into: arrays that are used again; numcodecs has none for chunks. By cargo xtask web bench.\n`;
if (table) writeFileSync(table, head + rows.map((row) => row.join("\t")).join("\n") + "\n");
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
