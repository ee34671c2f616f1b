// What the page and its worker tell each other.

import type { ChunkFacts, DamagedChunk, Description, Lost, Traffic } from "../../js/src/index.js";

/** A file, a folder or a URL to open. */
export type Place =
  | { file: Blob }
  | { files: [string, Blob][] }
  | { directory: FileSystemDirectoryHandle }
  | { url: string };

/** An opened file or member, by its number in the worker. */
export interface OpenedFile {
  key: number;
  description: Description;
  /** The text of `blpk info`. */
  info: string;
}

/** A range of indices along an axis. */
export interface AxisRange {
  start: number;
  stop: number;
  step: number;
}

/** Numbers about the values that are shown. */
export interface Stats {
  count: number;
  nan: number;
  infinite: number;
  min: number;
  max: number;
  mean: number;
}

/** How many of the shown values are between edges. */
export interface Histogram {
  low: number;
  high: number;
  counts: number[];
}

/** A part of a plane of an array. */
export interface PlaneRequest {
  key: number;
  rowAxis: number;
  columnAxis: number;
  /** The index along each axis; those of the two axes of the plane do not matter. */
  at: number[];
  rows: AxisRange;
  columns: AxisRange;
  isLog: boolean;
}

/** Integers that floats do not hold. */
export type Exact = BigInt64Array | BigUint64Array;

/** Chunks that cannot be read, by their numbers. */
export type DamagedChunks = [chunk: number, problem: string][];

/** The values of a plane, row by row. */
export interface Plane {
  values: Float64Array;
  /** The values of integers and times of 8 bytes. */
  exact?: Exact | undefined;
  rows: number;
  columns: number;
  /** 1 for each value that cannot be read. */
  lost: Uint8Array;
  problems: string[];
  damaged: DamagedChunks;
  stats: Stats;
  histogram: Histogram;
}

/** Items of an array with one axis. */
export interface LineRequest {
  key: number;
  start: number;
  stop: number;
  /** Number of points that are wanted. Each is the range of its items. */
  width: number;
  isLog: boolean;
}

/** Points of a line. */
export interface Line {
  /** Number of items in a point. */
  step: number;
  min: Float64Array;
  max: Float64Array;
  /** The values of integers and times of 8 bytes, where a point is one item. */
  exact?: Exact | undefined;
  lost: Lost[];
  damaged: DamagedChunks;
  stats: Stats;
  histogram: Histogram;
}

/** A part of a table. */
export interface Rows {
  cells: string[][];
  /** The problem of each row that cannot be read. */
  problems: [row: number, problem: string][];
  /** Whether a server or a disk failed, so that another read may find more. */
  isFailed: boolean;
  /** Whether each column has texts. */
  isText?: boolean[];
}

/** The functions of the worker. */
export interface Calls {
  open(place: Place, raw: boolean): Promise<OpenedFile>;
  member(key: number, name: string): Promise<OpenedFile>;
  chunks(key: number, start: number, stop: number): Promise<(ChunkFacts | DamagedChunk)[]>;
  plane(request: PlaneRequest): Promise<Plane>;
  line(request: LineRequest): Promise<Line>;
  /** Texts of the items of a slice, the fields `from` to `to` of each row. */
  texts(key: number, slice: string, rows: number, from: number, to: number): Promise<Rows>;
  rows(key: number, columns: string[], start: number, stop: number): Promise<Rows>;
  bytes(key: number, start: number, stop: number): Promise<Uint8Array>;
  save(key: number, slice: string, format: "npy" | "csv"): Promise<Uint8Array>;
  /** Cancels the last download. It is called beside the calls that wait. */
  cancel(): Promise<void>;
  traffic(): Promise<Traffic>;
  close(): Promise<void>;
}

/** The first message to the worker. */
export interface Start {
  module: WebAssembly.Module;
}

/** A call to the worker. */
export interface Request {
  id: number;
  name: keyof Calls;
  args: unknown[];
}

/** Its answer, or what was read so far. */
export interface Answer {
  /** The number of the call. None: the call is running. */
  id?: number;
  value?: unknown;
  error?: { message: string; kind: string };
  traffic?: Traffic;
  /** The number of bytes of a download that are made. */
  made?: number | undefined;
}
