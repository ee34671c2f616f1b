// Bytes of any typed array, buffer or view.

/** Bytes in memory. */
export type Memory = ArrayBufferLike | ArrayBufferView<ArrayBufferLike>;

/** Returns the bytes without copying them. */
export function bytesOf(data: Memory): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}

/** Returns whether a value is bytes in memory. */
export function isMemory(data: unknown): data is Memory {
  const isShared = typeof SharedArrayBuffer !== "undefined" && data instanceof SharedArrayBuffer;
  return ArrayBuffer.isView(data) || data instanceof ArrayBuffer || isShared;
}
