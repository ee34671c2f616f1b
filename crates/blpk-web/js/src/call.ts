// A running call of the module: what it holds, and what cancels it.

import type { Piece } from "./cache.js";
import { expectRunning, onCancel } from "./cancel.js";

/** What was read, for an opened file and its members. */
export interface Traffic {
  /** Bytes that were read from the file or the network. */
  read: number;
  /** Number of reads, each a request for a URL. */
  requests: number;
  /** The size of the file, or of all files of a directory that are known. */
  stored: number;
  /** Whether it is a directory that cannot be listed: `stored` then is the size of the files that were opened. */
  isPartial?: boolean;
  /**
   * Files with data that the server of a directory refused: it answered 403, or with a page of HTML. Some servers do so for
   * files that do not exist, so these files are read as absent: their items have the fill value.
   */
  refused?: number;
  /** Cancels what is being read. */
  signal?: AbortSignal | undefined;
}

/** How the module is called. */
export interface CallOptions {
  /** How many of the first bytes of a file that is opened are needed, if these are few. */
  head?: number | undefined;
  /** Cancels this call. */
  signal?: AbortSignal | undefined;
  /** End the requests of this call when its file is closed, which is no cancelling: the call is made again, and says so. */
  closing?: AbortSignal[];
}

/** A call that runs. */
export class Call {
  /** The pieces that it fetched or read. */
  readonly held = new Set<Piece>();
  readonly #signals: AbortSignal[];
  readonly #controller = new AbortController();
  readonly #ends: (() => void)[];

  constructor(traffic: Traffic, { signal, closing = [] }: CallOptions) {
    this.#signals = [traffic.signal, signal].filter((each) => each !== undefined);
    this.#ends = [...this.#signals, ...closing].map((each) => onCancel(each, () => this.#controller.abort()));
  }

  /** Ends its requests. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the call if the program has cancelled it. */
  expectRunning(): void {
    this.#signals.forEach(expectRunning);
  }

  /** Makes a request with a signal of its own. */
  async request<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const end = onCancel(this.signal, () => controller.abort());
    try {
      return await send(controller.signal);
    } finally {
      end();
    }
  }

  /** Forgets the signals of a call that has ended. */
  end(): void {
    for (const end of this.#ends) end();
  }
}
