// Sources of bytes that are read asynchronously: blobs, HTTP ranges, memory, and directories of them.

import { invalid } from "./check.js";

/** A file that is read in ranges. */
export interface Source {
  /** Its size in bytes. */
  readonly size: number;
  /** Reads a range, which is within the file. `signal`: cancels this read. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** The unit of reads in bytes: ranges are rounded to it. Default: 4096. */
  readonly grain?: number;
  /** All bytes, where they are in memory. */
  readonly memory?: Uint8Array;
  /** Bytes that were read while opening, from the start of the file. They are not read again. */
  readonly head?: Uint8Array;
}

/** A directory of files. Paths are relative, with `/` between names. */
export interface SourceDirectory {
  /**
   * Opens a file. `undefined` if there is none. `head`: the first bytes that will be needed, if these are few. `signal`: cancels
   * this call.
   */
  open(path: string, head?: number, signal?: AbortSignal): Promise<Source | undefined>;
  /** Lists the names in a directory, `undefined` if there is none. Throws where listing is impossible. `signal`: cancels this call. */
  list(path: string, signal?: AbortSignal): Promise<string[] | undefined>;
  /** The size of all files in bytes, where it is known. */
  readonly size?: number;
  /** The number of files that `open` found absent because they were refused. Those with metadata do not count. */
  readonly refused?: number;
  /** The answer of the server that refused a file with metadata. */
  readonly refusal?: string | undefined;
}

/** A handle of a file: the part of `FileSystemFileHandle` that is used. */
export interface FileHandle {
  getFile(): Promise<Blob>;
}

/** A handle of a directory: the part of `FileSystemDirectoryHandle` that is used, and its method `keys`. */
export interface DirectoryHandle {
  getDirectoryHandle(name: string): Promise<DirectoryHandle>;
  getFileHandle(name: string): Promise<FileHandle>;
}

/** Bytes in memory. */
export function memorySource(memory: Uint8Array): Source {
  return { size: memory.length, memory, read: async (offset, length) => memory.subarray(offset, offset + length) };
}

/** A blob, or a file that the user chose. Only the ranges that are read are loaded. */
export function blobSource(blob: Blob): Source {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Returns whether a value is a path with a file. */
function isFile(pair: unknown): boolean {
  if (!Array.isArray(pair) || typeof pair[0] !== "string") return false;
  return pair[1] instanceof Uint8Array || pair[1] instanceof Blob;
}

/** Files by their paths. */
export function filesDirectory(files: Iterable<readonly [string, Blob | Uint8Array]>): SourceDirectory {
  const pairs = [...files];
  if (!pairs.every(isFile)) throw invalid("a list of files has pairs of a path and a Blob or Uint8Array");
  const found = new Map(pairs);
  const folders = new Map<string, Set<string>>([["", new Set()]]);
  let size = 0;
  for (const [path, file] of found) {
    size += file instanceof Uint8Array ? file.length : file.size;
    const names = path.split("/");
    for (let depth = 0; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join("/");
      if (!folders.has(folder)) folders.set(folder, new Set());
      folders.get(folder)?.add(names[depth] ?? "");
    }
  }
  return {
    size,
    open: async (path) => {
      const file = found.get(path);
      if (file === undefined) return undefined;
      return file instanceof Uint8Array ? memorySource(file) : blobSource(file);
    },
    list: async (path) => {
      const names = folders.get(path);
      return names && [...names];
    },
  };
}

/** A directory that the user chose with the directory picker. Files are opened when they are needed. */
export function handleDirectory(root: DirectoryHandle): SourceDirectory {
  const absent = (error: unknown) => {
    const name = error instanceof Error ? error.name : "";
    if (name === "NotFoundError" || name === "TypeMismatchError") return undefined;
    throw error;
  };
  const folder = async (names: string[]): Promise<DirectoryHandle> => {
    let at = root;
    for (const name of names) at = await at.getDirectoryHandle(name);
    return at;
  };
  return {
    open: async (path) => {
      const names = path.split("/");
      const name = names.pop() ?? "";
      try {
        return blobSource(await (await (await folder(names)).getFileHandle(name)).getFile());
      } catch (error) {
        return absent(error);
      }
    },
    list: async (path) => {
      try {
        const names: string[] = [];
        const keys = (await folder(path === "" ? [] : path.split("/"))) as unknown as { keys(): AsyncIterable<string> };
        for await (const name of keys.keys()) names.push(name);
        return names;
      } catch (error) {
        return absent(error);
      }
    },
  };
}
