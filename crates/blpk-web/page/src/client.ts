// Calls the worker. A worker whose module has failed is replaced.

import type { Traffic } from "../../js/src/index.js";
import type { Answer, Calls, Request, Start } from "./protocol.js";

/** An error of the worker. */
export interface WorkerError extends Error {
  kind: string;
}

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

let worker: Worker | undefined;
let next = 0;
const waiting = new Map<number, Waiting>();
let onTraffic: (traffic: Traffic) => void = () => {};
let onMade: (made: number) => void = () => {};

/** Sets the function that is told what was read. */
export function watchTraffic(watch: (traffic: Traffic) => void): void {
  onTraffic = watch;
}

/** Sets the function that is told how many bytes of the download are made. */
export function watchMade(watch: (made: number) => void): void {
  onMade = watch;
}

/** The script of the worker and its compiled module. They are loaded once, so that another worker needs no network. */
const parts = (async () => {
  const load = async (name: string) => {
    const response = await fetch(new URL(name, document.baseURI));
    if (!response.ok) throw new Error(`the page cannot load its part ${name}: ${response.status} ${response.statusText}`);
    return response;
  };
  const [script, module] = await Promise.all([load("worker.js"), load("open.wasm")]);
  const text = new Blob([await script.text()], { type: "text/javascript" });
  return { script: URL.createObjectURL(text), module: await WebAssembly.compile(await module.arrayBuffer()) };
})();
// Calls report the failure.
parts.catch(() => {});

function start({ script, module }: Awaited<typeof parts>): Worker {
  if (worker) return worker;
  worker = new Worker(script, { type: "module" });
  worker.postMessage({ module } satisfies Start);
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const { id, value, error, traffic, made } = data;
    if (traffic) onTraffic(traffic);
    if (made !== undefined) onMade(made);
    if (id === undefined) return;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) return call?.resolve(value);
    call?.reject(Object.assign(new Error(error.message), { kind: error.kind }));
    if (error.kind === "broken") restart("the decoder failed; the file must be opened again");
  });
  worker.addEventListener("error", (event) => restart(event.message || "the worker failed"));
  return worker;
}

function restart(reason: string): void {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(Object.assign(new Error(reason), { kind: "broken" }));
  waiting.clear();
}

/** Ends whatever the worker does. Its calls never return, so nothing of the last file is shown any more. */
export function abandon(): void {
  if (waiting.size === 0) return;
  waiting.clear();
  restart("");
}

function call(name: keyof Calls, args: unknown[]): Promise<unknown> {
  const request: Request = { id: next++, name, args };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    const send = (loaded: Awaited<typeof parts>) => {
      // A call that was abandoned before the parts were loaded is not made.
      if (waiting.has(request.id)) start(loaded).postMessage(request);
    };
    parts.then(send).catch((error: Error) => {
      waiting.delete(request.id);
      reject(error);
    });
  });
}

/** The functions of the worker. */
export const remote = new Proxy({} as Calls, {
  get: (_, name) => (...args: unknown[]) => call(name as keyof Calls, args),
});

/**
 * Returns a function that runs the latest of its calls: while one runs, a newer one replaces the one that waits. A slider
 * that moves quickly asks for a few planes, not for all.
 */
export function latest<A extends unknown[]>(run: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  let running: Promise<void> | undefined;
  let waitingArgs: A | undefined;
  return async (...args) => {
    waitingArgs = args;
    running ??= (async () => {
      try {
        while (waitingArgs !== undefined) {
          const now = waitingArgs;
          waitingArgs = undefined;
          await run(...now);
        }
      } finally {
        running = undefined;
      }
    })();
    await running;
  };
}
