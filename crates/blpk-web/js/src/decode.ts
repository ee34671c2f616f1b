// The part `blpk/decode`: decompresses chunks, with a smaller WebAssembly module and nothing else.

import init, * as wasm from "../generated/blpk_decode.js";
import { bytesOf, type Memory } from "./bytes.js";
import { guarded, Module, type ModuleInput } from "./module.js";

const module = new Module(() => new URL("./decode.wasm", import.meta.url), init);

/** Loads the WebAssembly module, from `input` or from `decode.wasm` next to this file. All functions do it on their first call. */
export function load(input?: ModuleInput): Promise<void> {
  return module.load(input);
}

/** Decompresses a chunk of at most `maxBytes` plain bytes. */
export async function decompress(chunk: Memory, maxBytes = 2 ** 31 - 1): Promise<Uint8Array<ArrayBuffer>> {
  await load();
  return guarded(() => wasm.decompress(bytesOf(chunk), maxBytes)) as Uint8Array<ArrayBuffer>;
}

/** Decompresses a chunk into an array of exactly the size of its plain bytes. */
export async function decompressInto<T extends Uint8Array>(chunk: Memory, into: T): Promise<T> {
  await load();
  guarded(() => wasm.decompressInto(bytesOf(chunk), bytesOf(into)));
  return into;
}

/** The codec `blosc` of zarrita and zarr.js, for reading only: `registry.set("blosc", () => Blosc)`. */
export class Blosc {
  static readonly codecId = "blosc";
  readonly kind = "bytes_to_bytes";

  static fromConfig(): Blosc {
    return new Blosc();
  }

  async encode(): Promise<never> {
    throw Object.assign(new Error("blpk/decode cannot compress; use the codec of blpk"), { kind: "unsupported" });
  }

  decode(data: Uint8Array, out?: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    return out ? decompressInto(data, out) : decompress(data);
  }
}
