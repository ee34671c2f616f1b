// Reads that failed. A call heeds only those since it began, so that the next one tries again.

/** Counts the calls that began and the reads that failed, to tell their order. */
let moment = 0;

/** Returns a later moment than all before. */
export function now(): number {
  return ++moment;
}

/** The reads of a file or directory that failed, by what was read. */
export class Failures<Key> {
  readonly #found = new Map<Key, { reason: string; at: number }>();

  add(key: Key, reason: string): void {
    this.#found.set(key, { reason, at: now() });
  }

  /** Returns why a read failed after a moment. */
  since(began: number, key: Key): string | undefined {
    const failure = this.#found.get(key);
    return failure !== undefined && failure.at > began ? failure.reason : undefined;
  }

  clear(): void {
    this.#found.clear();
  }
}
