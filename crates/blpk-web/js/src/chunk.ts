// Blosc chunks: compress and decompress.

import initDecode, * as decoder from "../generated/blpk_decode.js";
import initEncode, * as encoder from "../generated/blpk_encode.js";
import { bytesOf, type Memory } from "./bytes.js";
import { checkInteger, checkName, checkText, invalid } from "./check.js";
import { guarded, Module, type ModuleInput } from "./module.js";

const decode = new Module(() => new URL("./decode.wasm", import.meta.url), initDecode);
const encode = new Module(() => new URL("./encode.wasm", import.meta.url), initEncode);

/** Places of the modules, other than next to this file. */
export interface LoadInput {
  /** In place of `decode.wasm`. */
  decode?: ModuleInput;
  /** In place of `encode.wasm`. */
  encode?: ModuleInput;
}

/**
 * Loads the WebAssembly modules for chunks. Asynchronous functions load what they need on their first call. Call it to use
 * the synchronous ones, or to give other places.
 */
export async function load(input: LoadInput = {}): Promise<void> {
  await Promise.all([decode.load(input.decode), encode.load(input.encode)]);
}

/** The names of codecs. */
export type Codec = "blosclz" | "lz4" | "lz4hc" | "zlib" | "zstd" | "snappy";

/** How to compress. */
export interface CompressOptions {
  /** Default: `lz4`. */
  codec?: Codec;
  /** 0 (stored) to 9 (smallest). Default: 5. */
  clevel?: number;
  /** `shuffle`, `bitshuffle`, `none`, or several names of Blosc2's filters, separated by commas. Default: `shuffle`. */
  filters?: string;
  /** Bytes of an item. Default: that of the typed array, 1 for other bytes. */
  typesize?: number;
  /** Bytes of a block. Default: 0, chosen by codec and level. */
  blocksize?: number;
  /** The generation of the chunk. Default: `blosc1`, which all readers know. */
  format?: "blosc1" | "blosc2";
  /**
   * Where to write the chunk: the result is a part of it, from its start. 32 bytes more than the data are always enough.
   * Its bytes after the chunk may change, too, and all of them before an error.
   * A new array costs more time than fast codecs need, because its memory is cleared first.
   */
  into?: Uint8Array;
}

/** The largest size that the module can be given. */
const MAX_SIZE = 2 ** 32 - 1;

/** Returns whether two arrays may have bytes in common. Several objects can stand for the same shared memory. */
function mayOverlap(a: Uint8Array, b: Uint8Array): boolean {
  return a.buffer === b.buffer || !(a.buffer instanceof ArrayBuffer || b.buffer instanceof ArrayBuffer);
}

/** Refuses an array for a result that is no `Uint8Array`. Those of other realms are instances of other classes. */
function checkInto(into: unknown): void {
  if (into !== undefined && Object.prototype.toString.call(into) !== "[object Uint8Array]") throw invalid("`into` is no Uint8Array");
}

/** {@link compress} after {@link load}. */
export function compressSync(data: Memory, options: CompressOptions = {}): Uint8Array<ArrayBuffer> {
  encode.expectLoaded();
  const { codec = "lz4", clevel = 5, filters = "shuffle", blocksize = 0, format = "blosc1" } = options;
  const plain = bytesOf(data);
  const typesize = options.typesize ?? (data as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
  checkText("codec", codec);
  checkText("filters", filters);
  checkInteger("clevel", clevel, 0, 9);
  checkInteger("typesize", typesize, 1, MAX_SIZE);
  checkInteger("blocksize", blocksize, 0, MAX_SIZE);
  checkName("format", format, ["blosc1", "blosc2"]);
  const isBlosc2 = format === "blosc2";
  checkInto(options.into);
  const into = options.into && bytesOf(options.into);
  const direct = into && !mayOverlap(into, plain) ? into : undefined;
  const size = guarded(() => encoder.compress(plain, direct, codec, clevel, filters, typesize, blocksize, isBlosc2));
  if (into !== undefined && into.length < size) {
    throw invalid(`the chunk has ${size} bytes, the array ${into.length}`);
  }
  const chunk = options.into?.subarray(0, size) ?? new Uint8Array(size);
  if (!direct) guarded(() => encoder.compressed(bytesOf(chunk)));
  return chunk as Uint8Array<ArrayBuffer>;
}

/** Compresses bytes to a chunk. */
export async function compress(data: Memory, options: CompressOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  await encode.load();
  return compressSync(data, options);
}

/** A constructor of typed arrays. */
export interface ArrayConstructor<T> {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  BYTES_PER_ELEMENT: number;
}

/** How to decompress. */
export interface DecompressOptions {
  /** A chunk of more plain bytes is refused. Default: 2 GiB. */
  maxBytes?: number;
  /**
   * Where to write the plain bytes. It must have exactly their size. A new array costs more time than fast codecs need,
   * because its memory is cleared first.
   */
  into?: Uint8Array;
}

/** {@link decompress} after {@link load}. */
export function decompressSync(chunk: Memory, options: DecompressOptions = {}): Uint8Array<ArrayBuffer> {
  decode.expectLoaded();
  const { into, maxBytes = 2 ** 31 - 1 } = options;
  checkInteger("maxBytes", maxBytes, 0, MAX_SIZE);
  if (into !== undefined && bytesOf(into).length > maxBytes) {
    throw invalid(`the array \`into\` has ${bytesOf(into).length} bytes, and maxBytes is ${maxBytes}`);
  }
  return guarded(() => {
    if (into === undefined) return decoder.decompress(bytesOf(chunk), maxBytes) as Uint8Array<ArrayBuffer>;
    decoder.decompressInto(bytesOf(chunk), bytesOf(into));
    return into as Uint8Array<ArrayBuffer>;
  });
}

/** Decompresses a chunk to bytes, or to the typed array that is named second. */
export async function decompress(chunk: Memory, options?: DecompressOptions): Promise<Uint8Array<ArrayBuffer>>;
export async function decompress<T>(chunk: Memory, as: ArrayConstructor<T>, options?: DecompressOptions): Promise<T>;
export async function decompress<T>(
  chunk: Memory,
  as?: ArrayConstructor<T> | DecompressOptions,
  options?: DecompressOptions,
): Promise<Uint8Array<ArrayBuffer> | T> {
  await decode.load();
  if (typeof as !== "function") return decompressSync(chunk, as ?? options);
  const size = as.BYTES_PER_ELEMENT;
  const start = options?.into?.byteOffset ?? 0;
  if (start % size !== 0) throw invalid(`\`into\` starts at byte ${start} of its buffer, which is no multiple of the item size ${size}`);
  const { buffer, byteOffset, byteLength } = decompressSync(chunk, options);
  if (byteLength % size !== 0) throw invalid(`${byteLength} bytes are no whole number of items of ${size} bytes`);
  return new as(buffer, byteOffset, byteLength / size);
}

/** The sizes in the header of a chunk, in bytes. */
export interface ChunkSizes {
  nbytes: number;
  cbytes: number;
  blocksize: number;
  typesize: number;
}

/** Returns the sizes in the header of a chunk. Its first 32 bytes are enough. */
export async function chunkSizes(chunk: Memory): Promise<ChunkSizes> {
  await decode.load();
  const [nbytes = 0, cbytes = 0, blocksize = 0, typesize = 0] = guarded(() => decoder.chunkSizes(bytesOf(chunk)));
  return { nbytes, cbytes, blocksize, typesize };
}
