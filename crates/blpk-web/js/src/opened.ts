// An open file or directory.

import init, * as wasm from "../generated/blpk_open.js";
import type { CallOptions, Traffic } from "./call.js";
import { unlessCancelled } from "./cancel.js";
import { checkInteger, checkName, checkText, invalid } from "./check.js";
import { csvOf, textsOf, type CsvSource } from "./csv.js";
import type { ChunkFacts, DamagedChunk, Description, Items, Lost, ReadOptions, SaveOptions } from "./description.js";
import { Files } from "./files.js";
import { guarded, Module } from "./module.js";
import { rowsOf, sliceText, type Slice } from "./slice.js";
import { typedArray } from "./typed.js";

/** The WebAssembly module for files. */
export const module = new Module(() => new URL("./open.wasm", import.meta.url), init);

let files: Files | undefined;

/** Returns the list of files of the module, which must be loaded. */
export function theFiles(): Files {
  if (files === undefined) {
    files = new Files();
    wasm.setHost(files as never);
  }
  return files;
}

/** Bytes of a file with a chunk that its header is in. Servers and disks read as fast as fewer. */
const CHUNK_HEAD = 4096;

/** An array, a table or a group. */
export class Opened {
  readonly #opened: wasm.Opened;
  readonly #traffic: Traffic;
  readonly #number: number | undefined;
  /** The table or group that it is a member of. */
  readonly #parent: Opened | undefined;
  /** Ends the calls that wait when it is closed. */
  readonly #closing = new AbortController();
  /** The last text that was asked for. The module keeps the place in one text, so the next one waits. */
  #text: Promise<unknown> = Promise.resolve();
  readonly description: Description;

  private constructor(opened: wasm.Opened, traffic: Traffic, number: number | undefined, parent: Opened | undefined) {
    this.#opened = opened;
    this.#traffic = traffic;
    this.#number = number;
    this.#parent = parent;
    this.description = JSON.parse(opened.describe()) as Description;
  }

  /** Opens a file or directory of the list. For {@link open}. */
  static async of(traffic: Traffic, number: number, how: "file" | "raw" | "directory"): Promise<Opened> {
    const call = () =>
      how === "directory" ? wasm.Opened.openDirectory(number) : wasm.Opened.openFile(number, how === "raw");
    return Opened.#make(traffic, number, call);
  }

  /** `describe` may read, too, so both are one call. */
  static async #make(traffic: Traffic, number: number | undefined, open: () => wasm.Opened, parent?: Opened, options: ReadOptions = {}): Promise<Opened> {
    const call = () => {
      const opened = guarded(open);
      try {
        return new Opened(opened, traffic, number, parent);
      } catch (error) {
        opened.free();
        throw error;
      }
    };
    return theFiles().run(call, traffic, { ...options, closing: parent ? [parent.#closing.signal] : [] });
  }

  /** Returns the value in the memory of the module. */
  get #value(): wasm.Opened {
    if (this.#closings.some(({ aborted }) => aborted)) throw invalid("the file was closed");
    return this.#opened;
  }

  /** Calls the module, again after each fetch. Closing the file meanwhile ends that. */
  #run<T>(call: (opened: wasm.Opened) => T, options: CallOptions = {}): Promise<T> {
    return theFiles().run(() => guarded(() => call(this.#value)), this.#traffic, { ...options, closing: this.#closings });
  }

  /** Its own closing, and that of the table or group that it is a member of. */
  get #closings(): AbortSignal[] {
    return [this, this.#parent].flatMap((each) => (each ? [each.#closing.signal] : []));
  }

  /** Frees the memory of a value that is not used. */
  free(): void {
    if (!this.#closing.signal.aborted) this.#opened.free();
    this.#closing.abort();
  }

  get kind(): "array" | "table" | "group" {
    return this.description.kind;
  }

  get shape(): number[] {
    return this.description.shape ?? [];
  }

  get dtype(): string {
    return this.description.dtype ?? "";
  }

  /** The columns of a table, or the paths of the arrays in a group. */
  get members(): string[] {
    return this.description.members ?? [];
  }

  /** Bytes that were read, and the bytes that are stored. */
  get traffic(): Readonly<Traffic> {
    return this.#traffic;
  }

  /**
   * Returns the facts as `blpk info` prints them, a line each. Only the module of the page has them.
   * @internal
   */
  info(): Promise<string> {
    return this.#run((opened) => (opened as unknown as { info(): string }).info());
  }

  /** Opens a column of a table, or an array in a group. */
  async member(name: string, { signal }: ReadOptions = {}): Promise<Opened> {
    const open = () => {
      const value = this.#value;
      checkText("name", name);
      // The module calls all members columns.
      if (this.kind === "table" || this.members.includes(name)) return value.member(name);
      throw Object.assign(new Error(`there is no array ${JSON.stringify(name)}`), { kind: "absent" });
    };
    return Opened.#make(this.#traffic, undefined, open, this, { signal });
  }

  /** Reads items. Only the chunks and blocks that hold them are fetched and decoded. */
  async read(slice?: Slice, { signal }: ReadOptions = {}): Promise<Items> {
    const text = sliceText(slice);
    const [bytes, shape] = await this.#run((opened) => [opened.read(text), opened.shapeOf(text)] as const, { signal });
    return this.#items(bytes, shape);
  }

  /** Reads items, with zeros in place of those that cannot be read, which are listed. */
  async readRest(slice?: Slice, { signal }: ReadOptions = {}): Promise<Items & { lost: Lost[] }> {
    const text = sliceText(slice);
    const read = (opened: wasm.Opened) => [opened.readRest(text), opened.shapeOf(text), opened.lost] as const;
    const [bytes, shape, lost] = await this.#run(read, { signal });
    return { ...this.#items(bytes, shape), lost: JSON.parse(lost) as Lost[] };
  }

  #items(bytes: Uint8Array, shape: Float64Array): Items {
    return { data: typedArray(bytes, this.description.leaves ?? null), shape: Array.from(shape), dtype: this.dtype };
  }

  /** Reads the texts of items, with a list of all scalars for each. Long texts are cut. */
  async texts(slice?: Slice, options: ReadOptions = {}): Promise<string[][]> {
    const text = sliceText(slice);
    return this.#alone(() => textsOf(this.#csvSource(options), text), options);
  }

  /** Reads a range of the uncompressed bytes. */
  async bytes(start: number, stop: number, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    checkRange(start, stop);
    return this.#run((opened) => opened.readBytes(start, stop), { signal });
  }

  /** Reads the headers of chunks. */
  async chunks(start = 0, stop = Number.MAX_SAFE_INTEGER, { signal }: ReadOptions = {}): Promise<(ChunkFacts | DamagedChunk)[]> {
    checkRange(start, stop);
    const found = await this.#run((opened) => opened.chunks(start, stop), { head: CHUNK_HEAD, signal });
    return JSON.parse(found) as (ChunkFacts | DamagedChunk)[];
  }

  /** Returns items as a file: `npy` or `csv`; rows of a table as `csv`. */
  async save(slice: Slice | undefined, format: "npy" | "csv", options: SaveOptions = {}): Promise<Uint8Array> {
    const text = sliceText(slice);
    checkName("format", format, ["npy", "csv"]);
    if (format === "npy" || this.kind === "group") {
      const file = await this.#run((opened) => opened.npy(text), options);
      options.onProgress?.(file.length);
      return file;
    }
    if (this.kind === "array") return this.#alone(() => csvOf([["", this.#csvSource(options)]], text, options.onProgress), options);
    const columns: Opened[] = [];
    try {
      for (const name of this.members) columns.push(await this.member(name, options));
      const [rows, end] = rowsOf(text, this.description.rows ?? 0);
      for (const [at, { shape: [length = 0] }] of columns.entries()) if (length < end) throw ended(this.members[at] as string, length, end - 1);
      return await csvOf(columns.map((column, at) => [this.members[at] as string, column.#csvSource(options)]), rows, options.onProgress);
    } finally {
      for (const column of columns) column.free();
    }
  }

  /** Makes a text after those that were asked for before. One that is cancelled does not wait for them. */
  #alone<T>(work: () => Promise<T>, { signal }: ReadOptions): Promise<T> {
    const before = this.#text;
    const text = unlessCancelled(before, signal).then(work);
    this.#text = Promise.allSettled([before, text]).then(() => {});
    return text;
  }

  #csvSource({ signal }: ReadOptions): CsvSource {
    return {
      dtype: this.dtype,
      leaves: this.description.leaves ?? null,
      start: (slice) => this.#run((opened) => (opened.textStart(slice), Array.from(opened.shapeOf(slice))), { signal }),
      part: (most, across) => this.#run((opened) => opened.textPart(most, across), { signal }),
    };
  }

  /** Forgets the file and what was read of it. Members of it cannot be read any more. */
  close(): void {
    this.free();
    if (this.#number !== undefined) theFiles().remove(this.#number);
  }
}

/** Refuses the ends of a range that are no sizes. */
function checkRange(start: number, stop: number): void {
  checkInteger("start", start, 0, Number.MAX_SAFE_INTEGER);
  checkInteger("stop", stop, 0, Number.MAX_SAFE_INTEGER);
}

/** The error of a column that ends before a row of the table. */
function ended(name: string, length: number, row: number): Error {
  return Object.assign(new Error(`the column ${name} has ${length} rows, so row ${row} cannot be read`), { kind: "damaged" });
}
