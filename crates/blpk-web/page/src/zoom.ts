// Windows after zooming around a selected item, along one axis.

import type { AxisRange } from "./protocol.js";

const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));

/**
 * Zooms by a factor, to at most `most` samples. The sample with number `index` in the window keeps its place in it, unless the
 * window would leave the axis. Returns the window and the number of the sample in it.
 */
export function zoomed(range: AxisRange, index: number, factor: number, length: number, most: number): [AxisRange, number] {
  const [item, before] = [range.start + index * range.step, range.stop - range.start];
  const count = clamp(Math.max(1, Math.round(before * factor)), length);
  const step = Math.max(1, Math.ceil(count / most));
  const last = Math.ceil(count / step) - 1;
  // A whole number of steps before the item, so that it is a sample.
  const place = clamp(Math.round(((item - range.start) / Math.max(1, before)) * (count / step)), last);
  const start = clamp(item - place * step, length - count);
  return [{ start, stop: start + count, step }, clamp(Math.round((item - start) / step), last)];
}

/** Returns the start of a window of `count` items that has `item` at its place in another. Those larger than a chunk start at one. */
export function startOf(item: number, range: { start: number; stop: number }, count: number, chunk: number): number {
  const from = item - ((item - range.start) / Math.max(1, range.stop - range.start)) * count;
  if (count < chunk) return Math.max(Math.round(from), item - count + 1);
  const start = Math.round(from / chunk) * chunk;
  if (start > item) return start - chunk;
  return start + count <= item ? start + chunk : start;
}
