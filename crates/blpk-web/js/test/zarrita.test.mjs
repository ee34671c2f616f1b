// zarrita reads and writes Zarr arrays with the codec of this package.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Blosc, decompress } from "blpk";
import * as small from "blpk/decode";
import NumcodecsBlosc from "numcodecs/blosc";
import * as zarr from "zarrita";
import { archive, below, manifest, sha256 } from "./golden.mjs";

/** Registers a codec, and counts its calls. */
function register(Codec) {
  const calls = { decode: 0, encode: 0 };
  const counting = class {
    static fromConfig(config, meta) {
      const codec = Codec.fromConfig(config, meta);
      const counted = (name) => (data) => {
        calls[name]++;
        return codec[name](data);
      };
      return { kind: "bytes_to_bytes", encode: counted("encode"), decode: counted("decode") };
    }
  };
  zarr.registry.set("blosc", () => counting);
  return calls;
}

const stored = (files) => new Map(files.map(([name, bytes]) => [`/${name}`, bytes]));

for (const [name, Codec] of [["blpk", Blosc], ["blpk/decode", small.Blosc]]) {
  test(`zarrita reads the golden Blosc arrays with the codec of ${name}`, async () => {
    const calls = register(Codec);
    const wanted = manifest("zarr").stores.filter((item) => /codec\/blosc/.test(item.name) && !/zip|gzip/.test(item.name));
    let read = 0;
    for (const item of wanted) {
      const store = stored(below(archive("zarr"), item.name));
      const array = await zarr.open(zarr.root(store), { kind: "array" });
      const { data, shape } = await zarr.get(array);
      assert.deepEqual(shape, item.shape, item.name);
      if (/_F$|transpose/.test(item.name)) continue;
      assert.equal(sha256(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), item.sha256, item.name);
      read++;
    }
    assert.ok(read >= 10, `${read} arrays`);
    assert.ok(calls.decode > read, `${calls.decode} chunks`);
  });
}

test("zarrita writes an array that the codec of numcodecs reads", async () => {
  const calls = register(Blosc);
  const store = new Map();
  const codecs = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "blosc", configuration: { cname: "zstd", clevel: 5, shuffle: "shuffle", typesize: 8, blocksize: 0 } },
  ];
  const array = await zarr.create(zarr.root(store), {
    shape: [200, 100],
    chunkShape: [64, 100],
    dtype: "float64",
    codecs,
  });
  const data = Float64Array.from({ length: 20_000 }, (_, at) => Math.sqrt(at));
  await zarr.set(array, null, { data, shape: [200, 100], stride: [100, 1] });
  assert.equal(calls.encode, 4);
  const chunk = store.get("/c/0/0");
  const plain = await decompress(chunk, Float64Array);
  assert.deepEqual(plain, data.slice(0, 6400));
  assert.deepEqual(await new NumcodecsBlosc().decode(chunk), new Uint8Array(plain.buffer));
  const again = await zarr.get(await zarr.open(zarr.root(store), { kind: "array" }));
  assert.deepEqual(again.data, data);
});

test("the codec has the interface of numcodecs", async () => {
  const plain = new Uint8Array(10_000).map((_, at) => at % 100);
  for (const config of [{}, { clevel: 9, cname: "zlib", shuffle: 2 }, { cname: "blosclz", shuffle: 0 }]) {
    const [ours, theirs] = [Blosc.fromConfig(config), NumcodecsBlosc.fromConfig({ id: "blosc", ...config })];
    assert.deepEqual(await theirs.decode(await ours.encode(plain)), plain);
    const out = new Uint8Array(plain.length);
    assert.equal(await ours.decode(await theirs.encode(plain), out), out);
    assert.deepEqual(out, plain);
  }
  assert.equal(Blosc.codecId, NumcodecsBlosc.codecId);
  assert.throws(() => Blosc.fromConfig({ shuffle: 3 }));
});

test("a program with types compiles", () => {
  const [compiler, program] = ["../node_modules/typescript/bin/tsc", "types"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  execFileSync(process.execPath, [compiler, "-p", program], { stdio: "inherit" });
});
