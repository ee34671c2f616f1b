// The JavaScript package `blpk`.

export type { Memory } from "./bytes.js";
export type { Traffic } from "./call.js";
export {
  chunkSizes,
  compress,
  compressSync,
  decompress,
  decompressSync,
  load,
  type ArrayConstructor,
  type ChunkSizes,
  type Codec,
  type CompressOptions,
  type DecompressOptions,
  type LoadInput,
} from "./chunk.js";
export { Blosc, type BloscConfig } from "./codec.js";
export type { ChunkFacts, DamagedChunk, Description, Items, Lost, ReadOptions, SaveOptions } from "./description.js";
export type { HttpOptions } from "./http.js";
export type { BlpkError, ModuleInput } from "./module.js";
export { loadOpen, open, type OpenInput, type OpenOptions } from "./open.js";
export { Opened } from "./opened.js";
export type { AxisSlice, Slice } from "./slice.js";
export { filesDirectory, handleDirectory, type DirectoryHandle, type FileHandle, type Source, type SourceDirectory } from "./source.js";
export type { Leaf, TypedArray } from "./typed.js";
