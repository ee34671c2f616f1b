// What is read for a window of a plane.

import type { Description } from "../../js/src/index.js";
import type { AxisRange } from "./protocol.js";

/** A range of an axis that is shown. */
export interface ShownAxis extends AxisRange {
  axis: number;
}

/** Bytes between two items that are read with them, because another read would take as long. */
const GAP = 64 << 10;
/** Maximum number of uncompressed bytes that are read for a window. */
export const MOST_BYTES = 512 << 20;
/** Maximum number of files that are read for a window. */
export const MOST_FILES = 2048;

const product = (lengths: number[]) => lengths.reduce((result, length) => result * length, 1);

/** Returns the number of uncompressed bytes that are read for a window. A file counts at least as its part of the maximum. */
export function bytesOf(description: Description, window: [ShownAxis, ShownAxis]): number {
  const { chunkshape, fileshape, itemsize = 1 } = description;
  const bytes = chunkshape ? inBoxes(chunkshape, itemsize, window) : inRows(description, window);
  return fileshape ? Math.max(bytes, (filesOf(fileshape, description, window) * MOST_BYTES) / MOST_FILES) : bytes;
}

/** The number of files that are read for a window, wherever it begins. */
function filesOf(fileshape: number[], { shape = [] }: Description, window: [ShownAxis, ShownAxis]): number {
  const along = ({ axis, start, stop, step }: ShownAxis) => {
    const [file, length] = [Math.max(1, fileshape[axis] ?? 1), shape[axis] ?? 1];
    return Math.min(Math.ceil((stop - start) / step), Math.ceil((stop - start - 1) / file) + 1, Math.ceil(length / file));
  };
  return product(window.map(along));
}

/** The bytes of chunks that are boxes, as if the window began and ended at boxes. Steps may pass over boxes. */
function inBoxes(chunkshape: number[], itemsize: number, window: [ShownAxis, ShownAxis]): number {
  const others = chunkshape.filter((_, axis) => window.every((shown) => shown.axis !== axis));
  const along = ({ axis, start, stop, step }: ShownAxis) => Math.min(stop - start, Math.ceil((stop - start) / step) * (chunkshape[axis] ?? 1));
  return product([...window.map(along), ...others]) * itemsize;
}

/** The bytes of an array whose items are one after the other. Along an axis, all items between two are read, or a chunk for each. */
function inRows({ shape = [], itemsize = 1, order, chunkNbytes, fileshape }: Description, window: [ShownAxis, ShownAxis]): number {
  const unit = Math.max(fileshape ? 0 : GAP, chunkNbytes ?? 0, itemsize);
  const isInner = (axis: number, than: number) => (order === "F" ? axis < than : axis > than);
  const along = ({ axis, start, stop, step }: ShownAxis, each: number) => {
    const stride = product(shape.filter((_, other) => isInner(other, axis))) * itemsize * step;
    return Math.ceil((stop - start) / step) * Math.min(stride, each);
  };
  const [first, second] = window;
  const [outer, inner] = isInner(second.axis, first.axis) ? [first, second] : [second, first];
  return along(outer, Math.max(unit, along(inner, unit)));
}
