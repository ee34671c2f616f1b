// Fetches what calls of the module have missed.

import type { Cache, Cached, Piece } from "./cache.js";
import type { Call, Traffic } from "./call.js";
import { onCancel, unlessCancelled } from "./cancel.js";
import type { Failures } from "./failures.js";
import type { Source, SourceDirectory } from "./source.js";

/** Maximum size of a request in bytes. */
const MAX_REQUEST = 8 << 20;
/** Maximum number of requests at a time. */
const MAX_REQUESTS = 8;
/** Gaps of at most this many units are read along. */
const MAX_GAP = 4;

/** A file, and what is missing of it. */
export interface File extends Cached {
  source: Source;
  traffic: Traffic;
  failed: Failures<number>;
  misses: Set<number>;
  /** Blocks that are being fetched, with the call that does so. */
  coming: Map<number, Call>;
}

/** A directory, and what is missing of it. */
export interface Directory {
  source: SourceDirectory;
  traffic: Traffic;
  /** The numbers of opened files; `null` for those that do not exist. */
  files: Map<string, number | null>;
  lists: Map<string, string[] | null>;
  failed: Failures<string>;
  /** Files that are needed, with the number of their first bytes if these are few. */
  misses: Map<string, number | undefined>;
  listMisses: Set<string>;
  /** Whether it cannot be listed. */
  unlisted: boolean;
  /** Files and, with a slash, directories that are being fetched, with the call that does so. */
  coming: Map<string, Call>;
  isClosed: boolean;
}

/** Adds a file that was opened to the list of files. */
type Add = (source: Source, traffic: Traffic, held?: Set<Piece>) => number;

/** Fetches for the files and directories of a list. */
export class Fetcher {
  readonly #files: Map<number, File>;
  readonly #directories: Map<number, Directory>;
  readonly #cache: Cache;
  readonly #add: Add;
  /** What calls wait for. None of these fails. */
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(files: Map<number, File>, directories: Map<number, Directory>, cache: Cache, add: Add) {
    [this.#files, this.#directories, this.#cache, this.#add] = [files, directories, cache, add];
  }

  /** Fetches everything that was noted, or waits for a call at the same time that fetches it. Returns when the call is cancelled. */
  async fetch(call: Call): Promise<void> {
    const tasks = this.#tasks(call);
    const cancelled = () => {};
    if (tasks.length === 0) {
      if (this.#inFlight.size === 0) throw new Error("bytes are missing that nothing fetches");
      return unlessCancelled(Promise.race(this.#inFlight), call.signal).then(cancelled, cancelled);
    }
    const next = tasks.values();
    const worker = async () => {
      for (const task of next) {
        if (call.signal.aborted) return;
        await task();
      }
    };
    // Other calls that wait for its bytes then fetch them themselves.
    const end = onCancel(call.signal, () => this.#forget(call));
    const work = Promise.all(Array.from({ length: Math.min(MAX_REQUESTS, tasks.length) }, worker));
    const done = unlessCancelled(work, call.signal).then(cancelled, cancelled);
    this.#inFlight.add(done);
    await done;
    this.#inFlight.delete(done);
    end();
  }

  /** Forgets what a cancelled call was going to fetch. */
  #forget(call: Call): void {
    for (const { coming } of [...this.#files.values(), ...this.#directories.values()] as { coming: Map<unknown, Call> }[]) {
      for (const [key, owner] of coming) if (owner === call) coming.delete(key);
    }
  }

  /** Takes all that was noted. The call that noted it holds what is fetched, so that it is still here when it is made again. */
  #tasks(call: Call): (() => Promise<void>)[] {
    const tasks: (() => Promise<void>)[] = [];
    for (const file of this.#files.values()) {
      for (const [start, end] of runs(file)) {
        for (let block = start; block < end; block++) file.coming.set(block, call);
        tasks.push(() => this.#fetchBlocks(file, start, end, call));
      }
    }
    for (const directory of this.#directories.values()) {
      const { misses, listMisses, coming } = directory;
      for (const [path, head] of misses) tasks.push(() => this.#open(directory, path, head, call).finally(() => arrived(coming, path, call)));
      for (const path of listMisses) tasks.push(() => this.#list(directory, path, call).finally(() => arrived(coming, `${path}/`, call)));
      misses.forEach((_, path) => coming.set(path, call));
      listMisses.forEach((path) => coming.set(`${path}/`, call));
      misses.clear();
      listMisses.clear();
    }
    return tasks;
  }

  async #fetchBlocks(file: File, start: number, end: number, call: Call): Promise<void> {
    const { grain, source, traffic } = file;
    const offset = start * grain;
    const length = Math.min(end * grain, source.size) - offset;
    try {
      if (file.isClosed) return;
      const bytes = await call.request((signal) => source.read(offset, length, signal));
      if (bytes.length !== length) throw new Error(`the file ends at ${offset + bytes.length}, expected ${offset + length}`);
      traffic.read += length;
      traffic.requests += 1;
      if (!file.isClosed && !call.signal.aborted) this.#cache.keep(file, start, bytes, call.held);
    } catch (error) {
      if (call.signal.aborted) return;
      for (let block = start; block < end; block++) file.failed.add(block, message(error));
    } finally {
      for (let block = start; block < end; block++) arrived(file.coming, block, call);
    }
  }

  async #open(directory: Directory, path: string, head: number | undefined, call: Call): Promise<void> {
    if (directory.isClosed) return;
    try {
      const source = await call.request((signal) => directory.source.open(path, head, signal));
      if (directory.isClosed || call.signal.aborted) return;
      if (directory.source.refused) directory.traffic.refused = directory.source.refused;
      directory.files.set(path, source === undefined ? null : this.#add(source, directory.traffic, call.held));
      if (directory.source.size === undefined) {
        directory.traffic.isPartial = true;
        directory.traffic.stored += source?.size ?? 0;
      }
      if (source === undefined) directory.traffic.requests += 1;
    } catch (error) {
      if (!call.signal.aborted) directory.failed.add(path, message(error));
    }
  }

  async #list(directory: Directory, path: string, call: Call): Promise<void> {
    try {
      const names = await call.request((signal) => directory.source.list(path, signal));
      if (!call.signal.aborted) directory.lists.set(path, names ?? null);
    } catch (error) {
      if (call.signal.aborted) return;
      directory.failed.add(`${path}/`, message(error));
      directory.unlisted ||= (error as { kind?: string }).kind === "unsupported";
    }
  }
}

/** Ends the wait for something that a call has fetched, unless another call fetches it by now. */
function arrived<Key>(coming: Map<Key, Call>, key: Key, call: Call): void {
  if (coming.get(key) === call) coming.delete(key);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Takes the blocks that a file misses, as ranges of consecutive ones. */
function* runs(file: File): Generator<[number, number]> {
  const blocks = [...file.misses].sort((a, b) => a - b);
  file.misses.clear();
  let [start, end] = [0, 0];
  for (const block of blocks) {
    const fits = block <= end + MAX_GAP && (block + 1 - start) * file.grain <= MAX_REQUEST;
    if (end > start && fits) {
      end = block + 1;
      continue;
    }
    if (end > start) yield [start, end];
    [start, end] = [block, block + 1];
  }
  if (end > start) yield [start, end];
}
