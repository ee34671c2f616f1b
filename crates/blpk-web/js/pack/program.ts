// A user's program.

import { Blosc, compress, decompress, open, type ChunkFacts, type Items, type Opened } from "blpk";
import { decompress as small } from "blpk/decode";

const plain: Float64Array = Float64Array.from([1, 2, 3, 4]);
const chunk: Uint8Array = await compress(plain, { codec: "zstd", clevel: 9, filters: "bitshuffle" });
const again: Float64Array = await decompress(chunk, Float64Array);
const bytes: Uint8Array = await small(chunk);
const file: Opened = await open(new Blob([await new Blosc().encode(new Uint8Array(again.buffer))]));
const facts = (await file.chunks()) as ChunkFacts[];
const header = new TextEncoder().encode("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }".padEnd(117) + "\n");
const npy = new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY\x01\x00v\x00"), ...header, ...bytes]);
const items: Items = await (await open(npy)).read([null, 0]);
if (facts.length !== 1 || again.length !== 4) throw new Error("wrong");
console.log(items.shape[0], items.data[1], (await open(npy)).dtype === "<f8" ? "float64" : "?");
