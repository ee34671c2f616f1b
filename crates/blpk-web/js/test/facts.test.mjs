// The facts that the page shows. The package has the functions, and only the module of the page the texts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Imports the package with the module of the page, which has the facts. */
async function loadWithFacts() {
  const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
  const page = { name: "page", setup: (build) => build.onResolve({ filter: /blpk_open\.js$/ }, () => ({ path: path("generated/blpk_page.js") })) };
  const options = { entryPoints: [path("src/index.ts")], bundle: true, format: "esm", platform: "neutral", write: false, plugins: [page] };
  const { outputFiles } = await build({ ...options, define: { "import.meta.url": JSON.stringify(import.meta.url) } });
  const blpk = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  await blpk.loadOpen(readFileSync(path("generated/blpk_page_bg.wasm")));
  return blpk;
}

test("the facts of an array with many chunks in few shards count the shards", async () => {
  const { open } = await loadWithFacts();
  const bytes = { name: "bytes", configuration: { endian: "little" } };
  const sharding = { name: "sharding_indexed", configuration: { chunk_shape: [4], codecs: [bytes], index_codecs: [bytes], index_location: "end" } };
  const grid = (lens) => ({ name: "regular", configuration: { chunk_shape: lens } });
  const meta = { zarr_format: 3, node_type: "array", shape: [8000], data_type: "int32", fill_value: 0, attributes: {} };
  const facts = async (more) => {
    const json = JSON.stringify({ ...meta, chunk_key_encoding: { name: "default" }, ...more });
    return (await open([["zarr.json", new TextEncoder().encode(json)]])).info();
  };
  assert.match(await facts({ chunk_grid: grid([4000]), codecs: [sharding] }), /nchunks: 2000\n.*\n *stored_shards: 0/);
  assert.doesNotMatch(await facts({ chunk_grid: grid([4]), codecs: [bytes] }), /stored/, "too many files");
});
