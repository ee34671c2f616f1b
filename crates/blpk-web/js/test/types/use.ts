// A program that uses the package with its types, as README shows.

import { Blosc, compress, decompress, loadOpen, open, type SaveOptions } from "blpk";
import * as small from "blpk/decode";
import * as zarr from "zarrita";

zarr.registry.set("blosc", async () => Blosc);
zarr.registry.set("blosc", async () => small.Blosc);

const chunk: Uint8Array<ArrayBuffer> = await compress(new Float32Array(100), { codec: "zstd", clevel: 3 });
const items: Float32Array = await decompress(chunk, Float32Array);
await loadOpen(await WebAssembly.compile(chunk));
await open(await navigator.storage.getDirectory());
const opened = await open(new Blob([chunk]), { signal: new AbortController().signal });
const { data, shape } = await opened.read([[0, 2]], { signal: AbortSignal.timeout(1000) });
const options: SaveOptions = { onProgress: (made) => console.log(made) };
await opened.save("0:9", "csv", options);
console.log(items.length, data.length, shape.length);
