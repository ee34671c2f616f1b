// What is known about open files, and how they are read.

import type { BlpkError } from "./module.js";
import type { Leaf, TypedArray } from "./typed.js";

/** What a file or directory is. */
export interface Description {
  kind: "array" | "table" | "group";
  /** The format in words: `a Blosc2 frame`. */
  format: string;
  /** The columns of a table, or the paths of the arrays in a group. */
  members?: string[];
  /** The number of rows of a table. */
  rows?: number;
  /** Whether the file says the dtype. Otherwise the items are unsigned integers of the typesize. */
  isTyped?: boolean;
  isCompressed?: boolean;
  shape?: number[];
  /** NumPy's name of the dtype. */
  dtype?: string;
  itemsize?: number;
  order?: "C" | "F";
  /** The scalars of an item. `null` for items that have no list of them. */
  leaves?: Leaf[] | null;
  /** The number of uncompressed bytes. */
  nbytes?: number;
  nchunks?: number;
  /** The uncompressed bytes of the first chunk. */
  chunkNbytes?: number | null;
  typesize?: number;
  /** The items of a chunk along each axis, for arrays whose chunks are boxes. */
  chunkshape?: number[] | null;
  blockshape?: number[] | null;
  /** The items of a file along each axis, where chunks or shards are files of a directory. */
  fileshape?: number[] | null;
}

/** How a chunk is stored. */
export interface ChunkFacts {
  nbytes: number;
  /** 0 for a special value that takes no bytes. */
  cbytes: number;
  codec: string | null;
  filters: string;
  /** `zeros`, `nan`, `uninit` or `value`. */
  special: string | null;
  /** Whether the bytes are stored unchanged. */
  isStored: boolean;
}

/** A chunk whose header is damaged, or could not be read. */
export interface DamagedChunk {
  problem: string;
  /** `io` if a server or a disk failed: another call may succeed. */
  kind: BlpkError["kind"];
}

/** Selected items. */
export interface Items {
  /** The items in C order. */
  data: TypedArray;
  shape: number[];
  dtype: string;
}

/** A part of a selection that cannot be read, in indices of the selection. */
export interface Lost {
  start: number[];
  stop: number[];
  problem: string;
  /** `io` if a server or a disk failed: another call may succeed. */
  kind: BlpkError["kind"];
}

/** How to read. */
export interface ReadOptions {
  /** Cancels this call. */
  signal?: AbortSignal | undefined;
}

/** How to make a file. */
export interface SaveOptions extends ReadOptions {
  /** Is told the number of bytes that are made: of CSV, each time that there are more; of `npy`, all of them. */
  onProgress?: ((made: number) => void) | undefined;
}
