// The facts that the page shows. The package has the functions, and only the module of the page the texts.

import assert from "node:assert/strict";
import test from "node:test";
import { loadWithFacts } from "../info/load.mjs";

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

test("the facts of an array in many files open all of them together", async () => {
  const { open } = await loadWithFacts();
  const meta = { zarr_format: 2, shape: [60 * 64], chunks: [64], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  const files = new Map([[".zarray", new TextEncoder().encode(JSON.stringify(meta))]]);
  for (let chunk = 0; chunk < 60; chunk++) files.set(String(chunk), new Uint8Array(64));
  let [opening, most, opens] = [0, 0, 0];
  const directory = {
    open: async (path) => {
      opens++;
      most = Math.max(most, ++opening);
      await new Promise((done) => setTimeout(done, 1));
      opening--;
      const bytes = files.get(path);
      return bytes && { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
    },
    list: async (path) => (path === "" ? [...files.keys()] : undefined),
  };
  const opened = await open(directory);
  opens = most = 0;
  assert.match(await opened.info(), /60/);
  assert.ok(opens >= 60 && most > 4, `${opens} files, ${most} at a time`);
});
