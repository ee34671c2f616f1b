// Calls that are cancelled by a signal.

import type { BlpkError } from "./module.js";

/** What runs when a signal is cancelled. Each signal has one listener, because many calls may have the same signal. */
const watched = new WeakMap<AbortSignal, Set<() => void>>();

/** Runs a function when a signal is cancelled. Returns a function that ends this. */
export function onCancel(signal: AbortSignal, run: () => void): () => void {
  let all = watched.get(signal);
  if (all === undefined) {
    const found = new Set<() => void>();
    watched.set(signal, (all = found));
    signal.addEventListener("abort", () => found.forEach((each) => each()), { once: true });
  }
  all.add(run);
  return () => void all.delete(run);
}

/** Ends work that a signal has cancelled, with the reason that the program gave. */
export function expectRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancellation(signal.reason);
}

/** Waits for work, or until a signal cancels it. The work itself goes on. */
export function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = onCancel(signal, () => reject(cancellation(signal.reason)));
    work.then(resolve, reject).finally(end);
    if (signal.aborted) reject(cancellation(signal.reason));
  });
}

/** Returns the error of a cancelled call: the reason itself, unless it is no error or has another kind. */
function cancellation(reason: unknown): Error {
  const kind: BlpkError["kind"] = "cancelled";
  if (!(reason instanceof Error)) return Object.assign(new Error(String(reason)), { kind });
  const own = "kind" in reason ? reason.kind : undefined;
  if (own === kind) return reason;
  if (own === undefined && Object.isExtensible(reason)) return Object.assign(reason, { kind });
  return Object.assign(new Error(reason.message, { cause: reason }), { name: reason.name, kind });
}
