// Bytes of any typed array, buffer or view.

/** Bytes in memory. */
export type Memory = ArrayBufferLike | ArrayBufferView<ArrayBufferLike>;

/**
 * Returns the bytes without copying them. The array is a new one: the methods of a class that extends `Uint8Array` are not
 * called while the WebAssembly module runs, so the memory cannot be detached then.
 */
export function bytesOf(data: Memory): Uint8Array {
  try {
    if (!ArrayBuffer.isView(data)) return new Uint8Array(data);
    // Throws if the buffer was detached or has become too short. The array's length would be 0.
    if (!(data instanceof DataView)) Uint8Array.prototype.keys.call(data);
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  } catch (error) {
    throw Object.assign(new Error(`the memory cannot be used: ${(error as Error).message}`), { kind: "invalid" });
  }
}

/** Returns whether a value is bytes in memory. */
export function isMemory(data: unknown): data is Memory {
  const isShared = typeof SharedArrayBuffer !== "undefined" && data instanceof SharedArrayBuffer;
  return ArrayBuffer.isView(data) || data instanceof ArrayBuffer || isShared;
}
