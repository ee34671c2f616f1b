// Files at URLs, read by range requests.

import { expectRunning } from "./cancel.js";
import { withKind } from "./check.js";
import { memorySource, type Source, type SourceDirectory } from "./source.js";

/** Bytes that the first request of a file asks for: enough to recognise it, and all of a small one. */
const HEAD = 64 << 10;
/** The unit of range requests. Files of which less was asked for at first are read in smaller units. */
const GRAIN = 16 << 10;

/** How to fetch. */
export interface HttpOptions {
  /** Replaces `fetch`, for example to add credentials. */
  fetch?: typeof fetch;
  /** Headers of all requests. */
  headers?: Record<string, string>;
  /** Cancels all requests. */
  signal?: AbortSignal;
}

/** Returns an error of a server, which names the URL without its query: that may hold a secret. */
function problem(url: URL, text: string): Error {
  return Object.assign(new Error(`${url.href.split("?")[0]}: ${text}`), { kind: "io" });
}

/** Sends a request. The reasons for which a browser refuses one are hidden from programs, so the error names the usual ones. */
async function send(url: URL, init: RequestInit, { fetch: given, headers, signal }: HttpOptions): Promise<Response> {
  try {
    return await (given ?? fetch)(url, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) }, ...(signal && { signal }) });
  } catch (error) {
    expectRunning(signal);
    if (!(error instanceof TypeError)) throw withKind(error, "io");
    throw problem(url, `the server cannot be reached, or does not allow this page to read from it (CORS): ${error.message}`);
  }
}

/** Returns the bytes of a response that starts at `offset` of the file, if it is a part of one. */
async function bodyOf(url: URL, response: Response, offset: number, { signal }: HttpOptions): Promise<Uint8Array> {
  const start = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1];
  if (response.status === 206 && start !== undefined && Number(start) !== offset) {
    await response.body?.cancel();
    throw problem(url, `the server answered with the bytes from ${start}, expected those from ${offset}`);
  }
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    expectRunning(signal);
    throw problem(url, `the connection was lost: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the first bytes of a response, and cancels the rest. */
async function startOf(url: URL, response: Response, wanted: number, { signal }: HttpOptions): Promise<Uint8Array> {
  const bytes = new Uint8Array(wanted);
  const reader = response.body?.getReader();
  try {
    for (let at = 0; at < wanted; ) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`it ends after ${at} bytes`);
      bytes.set(value.subarray(0, wanted - at), at);
      at += value.length;
    }
  } catch (error) {
    expectRunning(signal);
    throw problem(url, `the connection was lost: ${error instanceof Error ? error.message : String(error)}`);
  }
  await reader?.cancel();
  return bytes;
}

/** Returns the status of a response in words. */
const answerOf = ({ status, statusText }: Response): string => `the server answered ${status} ${statusText}`.trimEnd();

/** A response that is neither a file nor the absence of one. */
function refused(url: URL, response: Response): Error {
  return problem(url, answerOf(response));
}

/** How to open a file. */
interface Opening {
  /** Is told the answer 403: of object stores for files that are absent, of other servers for those that they refuse. */
  onRefused?: (answer: string) => void;
  /** Whether it is a file in a directory, which is never HTML. */
  isMember?: boolean;
  /** The bytes that the first request asks for. */
  wanted?: number | undefined;
  /** Cancels the requests that open it. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a file at a URL, `undefined` if there is none. A server without range requests sends all of it. A directory, which
 * the server redirects to its name with a slash, is no file.
 */
export async function httpSource(url: URL, given: HttpOptions = {}, { onRefused, isMember, wanted = HEAD, signal }: Opening = {}): Promise<Source | undefined> {
  const optionsOf = (signal: AbortSignal | undefined): HttpOptions => (signal ? { ...given, signal } : given);
  const options = optionsOf(signal);
  const request = (range: string, options: HttpOptions) => send(url, { headers: { Range: range }, cache: "no-store" }, options);
  const response = await request(`bytes=0-${wanted - 1}`, options);
  if (response.status === 404 || response.status === 403 || response.status === 410) {
    if (response.status === 403) onRefused?.(answerOf(response));
    await response.body?.cancel();
    return undefined;
  }
  // A host of a page answers with the page for what it does not have.
  if (isMember && response.ok && response.headers.get("content-type")?.startsWith("text/html")) {
    onRefused?.("the server answered with a page");
    await response.body?.cancel();
    return undefined;
  }
  if (response.status === 416) return memorySource(new Uint8Array());
  if (!response.ok) throw refused(url, response);
  if (response.redirected && response.url.endsWith("/") && !url.pathname.endsWith("/")) {
    await response.body?.cancel();
    return undefined;
  }
  const length = response.headers.get("content-length");
  const isPart = response.status === 206;
  // Of a file of which few bytes are needed, the rest is not loaded.
  const isEnough = !isPart && wanted < HEAD && response.headers.get("content-encoding") === null && Number(length) > wanted;
  const head = isEnough ? await startOf(url, response, wanted, options) : await bodyOf(url, response, 0, options);
  // The head counts as read.
  if (!isPart && !isEnough) return { ...memorySource(head), head };
  const size = isPart ? await totalSize(url, response, options) : Number(length);
  let first: Uint8Array | undefined = head;
  /** All bytes, from a server without range requests. */
  let whole: Uint8Array | undefined;
  return {
    size,
    // Returned once: the list of files keeps them while it has room.
    get head() {
      const bytes = first;
      first = undefined;
      return bytes;
    },
    grain: Math.min(GRAIN, wanted),
    read: async (offset, length, signal) => {
      const options = optionsOf(signal);
      // Copies, because the list of files keeps them.
      if (whole) return whole.slice(offset, offset + length);
      const part = await request(`bytes=${offset}-${offset + length - 1}`, options);
      if (part.status !== 206 && part.status !== 200) throw refused(url, part);
      const changed = isOther(response, part, size);
      const bytes = await bodyOf(url, part, offset, options);
      const isWhole = part.status === 200;
      const found = isWhole ? bytes.slice(offset, offset + length) : bytes;
      if (changed || found.length !== length || (isWhole && bytes.length !== size)) throw problem(url, "the file has changed while it was read");
      if (isWhole) whole = bytes;
      return found;
    },
  };
}

/**
 * Returns whether a later response is of another content than the first. A server at another origin shows `Last-Modified`
 * always, the others if it exposes them.
 */
function isOther(first: Response, later: Response, size: number): boolean {
  const differs = (name: string) => {
    const [before, after] = [first.headers.get(name), later.headers.get(name)];
    return before !== null && after !== null && before !== after;
  };
  const total = /\/(\d+)$/.exec(later.headers.get("content-range") ?? "")?.[1];
  return differs("etag") || differs("last-modified") || (total !== undefined && Number(total) !== size);
}

/** The size of the file of a partial response. A server at another origin may not show the header with it. */
async function totalSize(url: URL, response: Response, options: HttpOptions): Promise<number> {
  const total = response.headers.get("content-range")?.split("/")[1];
  if (total !== undefined && /^\d+$/.test(total)) return Number(total);
  const head = await send(url, { method: "HEAD" }, options);
  const length = head.headers.get("content-length");
  if (!head.ok) throw refused(url, head);
  if (length === null || head.headers.get("content-encoding") !== null) {
    throw problem(url, "the server hides the size of the file: it has to expose Content-Range");
  }
  return Number(length);
}

/** Files with metadata. Programs try their names, so servers that refuse absent files refuse these in every directory. */
const METADATA = /(^|\/)(\.z\w+|zarr\.json|__\w+__|meta\/(storage|sizes)|chunks\.b2frame)$/;

/** A directory at a URL. HTTP cannot list it, so a Zarr group needs consolidated metadata. */
export function httpDirectory(url: URL, options: HttpOptions = {}): SourceDirectory {
  const base = new URL(url);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const refusals = new Set<string>();
  let refusal: string | undefined;
  return {
    get refused() {
      return refusals.size;
    },
    get refusal() {
      return refusal;
    },
    open: async (path, wanted, signal) => {
      const file = new URL(base);
      // Names of members come from files. A URL with these would be one outside of the directory.
      if (path.split("/").some((name) => name === "." || name === "..")) throw problem(base, `the name ${path} leads out of the directory`);
      file.pathname += path.split("/").map(encodeURIComponent).join("/");
      const onRefused = (answer: string) => {
        if (METADATA.test(path)) refusal = `${answer} for ${path}`;
        else refusals.add(path);
      };
      return httpSource(file, options, { onRefused, isMember: true, wanted, signal });
    },
    list: async () => {
      throw Object.assign(new Error("a directory at a URL cannot be listed"), { kind: "unsupported" });
    },
  };
}
