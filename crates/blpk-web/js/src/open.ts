// Opens files and directories of all kinds.

import { bytesOf, isMemory, type Memory } from "./bytes.js";
import type { Traffic } from "./call.js";
import { expectRunning, unlessCancelled } from "./cancel.js";
import { invalid, withKind } from "./check.js";
import { httpDirectory, httpSource, type HttpOptions } from "./http.js";
import { node, type BlpkError, type ModuleInput } from "./module.js";
import { module, Opened, theFiles } from "./opened.js";
import {
  blobSource,
  filesDirectory,
  handleDirectory,
  memorySource,
  type DirectoryHandle,
  type FileHandle,
  type Source,
  type SourceDirectory,
} from "./source.js";

/** What {@link open} accepts. */
export type OpenInput =
  | Memory
  | Blob
  | URL
  | string
  | FileHandle
  | DirectoryHandle
  | Iterable<readonly [path: string, file: Blob | Uint8Array]>
  | Source
  | SourceDirectory;

/** How to open. */
export interface OpenOptions extends HttpOptions {
  /** Reads a file as raw bytes, whatever they are. */
  raw?: boolean;
  /** The place of the WebAssembly module, for the first call. Default: `open.wasm` next to this file. */
  module?: ModuleInput;
}

/** Loads the WebAssembly module for files before the first call of {@link open}. */
export function loadOpen(input?: ModuleInput): Promise<void> {
  return module.load(input);
}

/**
 * Opens a bloscpack file, a chunk, a Blosc2 frame, a `.npy` file, a zip archive with Zarr, or the directory of a sparse frame,
 * of bcolz or of Zarr. A URL that ends with `/`, or at which there is no file, is opened as a directory. A list of paths with
 * files is a directory, too.
 */
export async function open(input: OpenInput, options: OpenOptions = {}): Promise<Opened> {
  await module.load(options.module);
  expectRunning(options.signal);
  const found = await unlessCancelled(sourceOf(input, options), options.signal).catch((error: unknown) => {
    throw withKind(error, "io");
  });
  const traffic: Traffic = { read: 0, requests: 0, stored: found.size ?? 0, signal: options.signal };
  const files = theFiles();
  const number = "list" in found ? files.addDirectory(found, traffic) : files.add(found, traffic);
  try {
    return await Opened.of(traffic, number, "list" in found ? "directory" : options.raw ? "raw" : "file");
  } catch (error) {
    files.remove(number);
    const { kind, message } = error as BlpkError;
    const missing = found.missing ?? ("list" in found ? found.refusal : undefined);
    if (kind === "absent" && missing) throw Object.assign(new Error(`${missing}; as a directory it has ${message}`), { kind });
    throw error;
  }
}

/** A source. `missing`: why a URL, which may be a directory, is no file. */
type Found = (Source | SourceDirectory) & { missing?: string };

async function sourceOf(input: OpenInput, options: OpenOptions): Promise<Found> {
  if (isMemory(input)) return memorySource(bytesOf(input));
  if (input instanceof Blob) return blobSource(input);
  if (typeof input === "string") return urlSource(urlOf(input), options);
  if (input instanceof URL) return urlSource(input, options);
  if (typeof input !== "object" || input === null) throw invalid(`${String(input)} is nothing that can be opened`);
  if ("getFile" in input) return blobSource(await input.getFile());
  if ("getDirectoryHandle" in input) return handleDirectory(input);
  if (Symbol.iterator in input) return filesDirectory(input);
  if (!("read" in input || "list" in input)) throw invalid("an object without `read` and without `list` cannot be opened");
  return input;
}

function urlOf(text: string): URL {
  try {
    return new URL(text, globalThis.location?.href);
  } catch {
    throw invalid(`not a URL: ${text}`);
  }
}

/** Opens a file of Node. */
async function fileBlob(url: URL): Promise<Blob> {
  const { openAsBlob, promises } = await node<typeof import("node:fs")>("fs");
  const { fileURLToPath } = await node<typeof import("node:url")>("url");
  const path = fileURLToPath(url);
  const failed = (kind: BlpkError["kind"], text: string) => Object.assign(new Error(`${path}: ${text}`), { kind });
  try {
    const found = await promises.stat(path);
    if (found.isDirectory()) throw failed("io", "it is a directory; open a list of its files");
    return await openAsBlob(path);
  } catch (error) {
    if ((error as BlpkError).kind) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(code === "ENOENT" ? "absent" : "io", code === "ENOENT" ? "there is no such file" : message);
  }
}

async function urlSource(url: URL, options: OpenOptions): Promise<Found> {
  if (url.protocol === "blob:" || url.protocol === "data:") return blobSource(await (await fetch(url)).blob());
  if (url.protocol === "file:") {
    if (typeof process === "undefined" || !process.versions?.node) throw invalid("a page cannot read file: URLs; choose the file");
    return blobSource(await fileBlob(url));
  }
  if (url.pathname.endsWith("/")) return httpDirectory(url, options);
  let missing = "there is no file at this URL";
  const file = await httpSource(url, options, { onRefused: (answer) => (missing = `${answer} for this URL`) });
  return file ?? Object.assign(httpDirectory(url, options), { missing });
}
