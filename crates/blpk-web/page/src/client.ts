// Calls the worker. A worker whose module has failed is replaced.

import type { Traffic } from "../../js/src/index.js";
import type { Answer, Calls, Request } from "./protocol.js";

/** An error of the worker. */
export interface WorkerError extends Error {
  kind: string;
}

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

let worker: Worker | undefined;
let next = 0;
const waiting = new Map<number, Waiting>();
let onTraffic: (traffic: Traffic) => void = () => {};

/** Sets the function that is told what was read. */
export function watchTraffic(watch: (traffic: Traffic) => void): void {
  onTraffic = watch;
}

/** Starts the worker, so that everything is loaded before the network goes away. */
export function start(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const { id, value, error, traffic } = data;
    if (traffic) onTraffic(traffic);
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

/** Ends whatever the worker does, and starts another. */
export function abandon(): void {
  if (waiting.size > 0) restart("another file was opened");
}

function call(name: keyof Calls, args: unknown[]): Promise<unknown> {
  const request: Request = { id: next++, name, args };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    start().postMessage(request);
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
