// The Blosc codec of zarrita and zarr.js: their interface, which is that of numcodecs.

import { checkInteger, invalid } from "./check.js";
import { compress, decompress, type Codec } from "./chunk.js";

/** The names that Zarr version 3 gives to filters, and the numbers of version 2. */
const FILTERS: Record<string, string> = {
  "0": "none",
  "1": "shuffle",
  "2": "bitshuffle",
  noshuffle: "none",
  shuffle: "shuffle",
  bitshuffle: "bitshuffle",
};

/** A configuration in the metadata of an array. */
export interface BloscConfig {
  cname?: string;
  clevel?: number;
  shuffle?: number | string;
  blocksize?: number;
  typesize?: number;
}

/**
 * The codec `blosc`. For zarrita: `registry.set("blosc", async () => Blosc)`.
 *
 * Without a typesize, as in Zarr version 2, that of the array's dtype is taken if the library gives it, else 1.
 */
export class Blosc {
  static readonly codecId = "blosc";
  static readonly NOSHUFFLE = 0;
  static readonly SHUFFLE = 1;
  static readonly BITSHUFFLE = 2;
  static readonly AUTOSHUFFLE = -1;
  readonly kind = "bytes_to_bytes";

  readonly #filters: string;

  constructor(
    readonly clevel: number = 5,
    readonly cname: string = "lz4",
    readonly shuffle: number | string = 1,
    readonly blocksize: number = 0,
    readonly typesize: number = 1,
  ) {
    // numcodecs chooses by the typesize: bitshuffle for single bytes.
    const automatic = typesize === 1 ? "bitshuffle" : "shuffle";
    const filters = String(shuffle) === "-1" ? automatic : FILTERS[String(shuffle)];
    if (filters === undefined) throw invalid(`invalid shuffle: ${shuffle}; expected 0, 1, 2 or -1`);
    checkInteger("clevel", clevel, 0, 9);
    this.#filters = filters;
  }

  /** Libraries pass the configuration without a type: it is a {@link BloscConfig}. */
  static fromConfig(config?: unknown, meta?: { dataType?: string }): Blosc {
    const { clevel, cname, shuffle, blocksize, typesize }: BloscConfig = config ?? {};
    // Zarr version 3 ignores the typesize of data that is not shuffled: programs write 0.
    return new Blosc(clevel, cname, shuffle, blocksize, typesize || itemsize(meta?.dataType));
  }

  encode(data: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { clevel, blocksize, typesize } = this;
    return compress(data, { codec: this.cname as Codec, clevel, filters: this.#filters, typesize, blocksize });
  }

  decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    return decompress(data, out ? { into: out } : {});
  }
}

/** Returns the bytes of an item of a data type as Zarr names it: `float64`. */
function itemsize(dataType?: string): number {
  if (dataType === "bool") return 1;
  const bits = /^(?:u?int|float|complex)(\d+)$/.exec(dataType ?? "")?.[1];
  return bits ? Number(bits) / 8 : 1;
}
