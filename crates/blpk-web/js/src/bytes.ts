// Bytes of any typed array, buffer or view.

import { invalid } from "./check.js";

/** Bytes in memory. */
export type Memory = ArrayBufferLike | ArrayBufferView<ArrayBufferLike>;

/**
 * Returns the bytes without copying them. The array is a new one: the methods of a class that extends `Uint8Array` are not
 * called while the WebAssembly module runs, so the memory cannot be detached then.
 */
export function bytesOf(data: Memory): Uint8Array {
  try {
    // A list or a number would make a new array.
    if (!isMemory(data)) throw new TypeError("expected a typed array, a view or a buffer");
    if (!ArrayBuffer.isView(data)) return new Uint8Array(data);
    // Throws if the buffer was detached or has become too short. The array's length would be 0.
    if (!(data instanceof DataView)) Uint8Array.prototype.keys.call(data);
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  } catch (error) {
    throw invalid(`the memory cannot be used: ${(error as Error).message}`);
  }
}

/** Returns whether a value is bytes in memory. */
export function isMemory(data: unknown): data is Memory {
  // Buffers of other realms, such as frames, are instances of other classes.
  return ArrayBuffer.isView(data) || /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data));
}
