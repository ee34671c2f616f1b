// The files that the WebAssembly module reads.
//
// The module reads synchronously. Bytes that are not here make its call fail, and are noted. `run` fetches them and makes
// the same call again, until all bytes are here. The module also says which bytes it will read soon, so that one round
// fetches many of them.

import { Cache, type Piece } from "./cache.js";
import { Call, type CallOptions, type Traffic } from "./call.js";
import { invalid } from "./check.js";
import { Failures, now } from "./failures.js";
import { Fetcher, type Directory, type File } from "./fetch.js";
import type { Source, SourceDirectory } from "./source.js";

/** The outcome of a call of the module. */
const DONE = 0;
const PENDING = 1;
const ABSENT = 2;
const FAILED = 3;
const UNSUPPORTED = 4;

/** Maximum number of bytes that are fetched before they are needed. Each round decodes from the start, so this is large. */
const MAX_WANTED = 512 << 20;
/** Maximum number of bytes that a call holds. A result may have 1 GiB, and blocks are read whole. */
const MAX_HELD = (1 << 30) + (64 << 20);

/** The list of files. The module has one. */
export class Files {
  #files = new Map<number, File>();
  #directories = new Map<number, Directory>();
  #next = 0;
  #wanted = 0;
  #head: number | undefined;
  #cache = new Cache();
  /** The pieces that the call that is being made holds. */
  #held = new Set<Piece>();
  /** When it began. */
  #began = 0;
  #running = 0;
  #fetcher = new Fetcher(this.#files, this.#directories, this.#cache, (...file) => this.add(...file));

  outcome = DONE;
  reason = "";
  isPending = false;

  /** Adds a file and returns its number. `held`: the pieces that the call that opens it holds. */
  add(source: Source, traffic: Traffic, held?: Set<Piece>): number {
    const number = this.#next++;
    const { grain = 4096, head, memory } = source;
    const [blocks, failed] = [new Map<number, Piece>(), new Failures<number>()];
    const [pieces, misses, coming] = [new Set<Piece>(), new Set<number>(), new Map<number, Call>()];
    const file: File = { source, traffic, grain, pieces, blocks, failed, misses, coming, isClosed: false };
    this.#files.set(number, file);
    traffic.read += head?.length ?? 0;
    traffic.requests += head === undefined ? 0 : 1;
    if (head && !memory) {
      const length = head.length === source.size ? head.length : head.length - (head.length % grain);
      this.#cache.keep(file, 0, head.subarray(0, length), held);
    }
    return number;
  }

  /** Adds a directory and returns its number. */
  addDirectory(source: SourceDirectory, traffic: Traffic): number {
    const number = this.#next++;
    const [files, lists, failed] = [new Map(), new Map(), new Failures<string>()];
    const misses = new Map<string, number | undefined>();
    const [listMisses, coming] = [new Set<string>(), new Map<string, Call>()];
    const state = { unlisted: false, isClosed: false };
    this.#directories.set(number, { source, traffic, files, lists, failed, misses, listMisses, coming, ...state });
    return number;
  }

  /** Forgets a file, or a directory and all files in it. */
  remove(number: number): void {
    const directory = this.#directories.get(number);
    if (directory) directory.isClosed = true;
    for (const file of directory?.files.values() ?? []) if (file !== null) this.remove(file);
    this.#directories.delete(number);
    const file = this.#files.get(number);
    if (file === undefined) return;
    file.isClosed = true;
    this.#files.delete(number);
    for (const piece of file.pieces) if (piece.holders === 0) this.#cache.drop(piece);
  }

  // The methods that the module calls.

  size(number: number): number {
    return this.#files.get(number)?.source.size ?? 0;
  }

  read(number: number, offset: number, into: Uint8Array): number {
    const file = this.#files.get(number);
    if (file === undefined) return this.#fail("the file was closed");
    if (file.source.memory) {
      const part = partOf(file.source.memory, offset, into.length);
      if (part === undefined) return this.#fail("the memory has changed: its buffer was detached or resized");
      into.set(part);
      return DONE;
    }
    const { grain, blocks } = file;
    const [first, last] = [Math.floor(offset / grain), Math.floor((offset + into.length - 1) / grain)];
    let isHere = true;
    for (let block = first; block <= last; block++) {
      const piece = blocks.get(block);
      if (piece) this.#cache.hold(piece, this.#held);
      if (piece) continue;
      const reason = file.failed.since(this.#began, block);
      if (reason !== undefined) return this.#fail(reason);
      if (!file.coming.has(block)) file.misses.add(block);
      isHere = false;
    }
    if (!isHere) {
      this.isPending = true;
      return PENDING;
    }
    for (let at = offset; at < offset + into.length; ) {
      const { start, bytes } = blocks.get(Math.floor(at / grain)) as Piece;
      const end = Math.min(offset + into.length, start * grain + bytes.length);
      into.set(bytes.subarray(at - start * grain, end - start * grain), at - offset);
      at = end;
    }
    return DONE;
  }

  want(number: number, offset: number, length: number): void {
    const file = this.#files.get(number);
    if (file === undefined || file.source.memory) return;
    const { grain, blocks, failed, misses, coming } = file;
    const last = Math.floor((offset + length - 1) / grain);
    for (let block = Math.floor(offset / grain); block <= last && this.#wanted < MAX_WANTED; block++) {
      const piece = blocks.get(block);
      if (piece) this.#cache.hold(piece, this.#held);
      if (piece || failed.since(this.#began, block) !== undefined || misses.has(block) || coming.has(block)) continue;
      misses.add(block);
      this.#wanted += grain;
    }
  }

  open(number: number, path: string): number {
    const directory = this.#directories.get(number);
    if (directory === undefined) return this.#fail("the directory was closed");
    const file = directory.files.get(path);
    if (file !== undefined) {
      this.outcome = file === null ? ABSENT : DONE;
      return file ?? 0;
    }
    const reason = directory.failed.since(this.#began, path);
    if (reason !== undefined) return this.#fail(reason);
    if (!directory.coming.has(path)) directory.misses.set(path, this.#head);
    this.isPending = true;
    this.outcome = PENDING;
    return 0;
  }

  list(number: number, path: string): string[] {
    const directory = this.#directories.get(number);
    const names = directory?.lists.get(path);
    if (names !== undefined) {
      this.outcome = names === null ? ABSENT : DONE;
      return names ?? [];
    }
    const reason = directory?.failed.since(this.#began, `${path}/`);
    if (directory === undefined || reason !== undefined) {
      this.#fail(reason ?? "the directory was closed");
      if (directory?.unlisted) this.outcome = UNSUPPORTED;
      return [];
    }
    if (!directory.coming.has(`${path}/`)) directory.listMisses.add(path);
    this.isPending = true;
    this.outcome = PENDING;
    return [];
  }

  #fail(reason: string): number {
    this.reason = reason;
    this.outcome = FAILED;
    return FAILED;
  }

  // Asynchronous calls.

  /** Calls the module until all bytes that it needs are here. */
  async run<T>(run: () => T, traffic: Traffic, options: CallOptions = {}): Promise<T> {
    if (this.#running++ === 0) this.#begin();
    const [call, began] = [new Call(traffic, options), now()];
    try {
      for (;;) {
        call.expectRunning();
        this.isPending = false;
        this.#began = began;
        this.#wanted = 0;
        this.#head = options.head;
        this.#held = call.held;
        let result: { value: T } | { error: unknown };
        try {
          result = { value: run() };
        } catch (error) {
          result = { error };
        }
        if (!this.isPending) {
          if ("error" in result) throw result.error;
          return result.value;
        }
        // A value that was made without bytes that it needs.
        if ("value" in result) (result.value as { free?: () => void } | undefined)?.free?.();
        if (call.signal.aborted) throw invalid("the file was closed");
        await this.#fetcher.fetch(call);
        this.#cache.evict();
        expectFew(call.held);
      }
    } finally {
      this.#running--;
      call.end();
      this.#cache.release(call.held);
      this.#cache.evict();
    }
  }

  /** Forgets failures, and bytes that were expected, but not needed. */
  #begin(): void {
    for (const file of this.#files.values()) {
      file.failed.clear();
      file.misses.clear();
    }
    for (const directory of this.#directories.values()) directory.failed.clear();
  }
}

/** Ends a call that holds too many bytes. Each that it touches stays until it ends. */
function expectFew(held: Set<Piece>): void {
  let size = 0;
  for (const { bytes } of held) size += bytes.length;
  if (size <= MAX_HELD) return;
  throw Object.assign(new Error(`the selection touches more than ${MAX_HELD} bytes of the file; read it in parts`), { kind: "limit" });
}

/** Returns a part of memory, unless its buffer was detached or has become shorter. */
function partOf(memory: Uint8Array, offset: number, length: number): Uint8Array | undefined {
  try {
    const part = memory.subarray(offset, offset + length);
    return part.length === length ? part : undefined;
  } catch {
    return undefined;
  }
}
