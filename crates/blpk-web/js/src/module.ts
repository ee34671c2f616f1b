// Loads a WebAssembly module, from the folder of this package or from bytes that the caller has.

import { invalid, withKind } from "./check.js";

/** `WebAssembly.Module`, where the program has types for it. Those of Node have none. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : never;

/** What {@link load} accepts in place of the module in this package. */
export type ModuleInput = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | CompiledModule;

type Init = (input: { module_or_path: never }) => Promise<unknown>;

/** A WebAssembly module that is loaded once. */
export class Module {
  readonly #place: () => URL;
  readonly #init: Init;
  #loading: Promise<unknown> | undefined;
  #isLoaded = false;

  constructor(place: () => URL, init: unknown) {
    this.#place = place;
    this.#init = init as Init;
  }

  /** Loads the module, from `input` or its own place. A failure is tried again by the next call. */
  async load(input?: ModuleInput): Promise<void> {
    this.#loading ??= (async () => {
      const found = input ?? (await moduleBytes(this.#place()));
      await this.#init({ module_or_path: found as never });
      this.#isLoaded = true;
    })();
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw withKind(error, "io");
    }
  }

  /** Refuses a synchronous call before the module is loaded. */
  expectLoaded(): void {
    if (!this.#isLoaded) throw invalid("the WebAssembly module is not loaded: call `await load()` first");
  }
}

/** Imports a module of Node. Bundlers for browsers, which have none, must not look for it. */
export function node<T>(name: string): Promise<T> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<T>;
}

/** Returns the bytes of a module for `init` of the generated code. Node cannot fetch `file:` URLs. */
async function moduleBytes(found: URL): Promise<Uint8Array | URL> {
  if (found.protocol === "file:" && typeof process !== "undefined" && process.versions?.node) {
    const { readFile } = await node<typeof import("node:fs/promises")>("fs/promises");
    return readFile(found);
  }
  return found;
}

/** An error of this package. */
export interface BlpkError extends Error {
  /** What is wrong. `broken`: the module has failed, and must be loaded again in another worker or process. */
  kind: "damaged" | "truncated" | "unsupported" | "invalid" | "absent" | "limit" | "memory" | "cancelled" | "io" | "broken";
}

/** Calls the module. A trap leaves it in an unknown state, which the error says. */
export function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      throw Object.assign(new Error(`the WebAssembly module failed: ${error.message}`), { kind: "broken" });
    }
    throw error;
  }
}
