// What is read for a window of a plane.

import type { Description } from "../../js/src/index.js";
import type { AxisRange } from "./protocol.js";

/** A range of an axis that is shown. */
export interface ShownAxis extends AxisRange {
  axis: number;
}

/** Bytes between two items that are read with them, because another read would take as long. */
const GAP = 64 << 10;

const product = (lengths: number[]) => lengths.reduce((result, length) => result * length, 1);

/** Returns the number of uncompressed bytes that are read for a window. */
export function bytesOf(description: Description, window: [ShownAxis, ShownAxis]): number {
  return description.chunkshape ? inBoxes(description, window) : inRows(description, window);
}

/** The bytes of chunks that are boxes, as if the window began and ended at boxes. */
function inBoxes({ chunkshape, itemsize = 1 }: Description, window: [ShownAxis, ShownAxis]): number {
  const others = (chunkshape ?? []).filter((_, axis) => window.every((shown) => shown.axis !== axis));
  return product([...window.map(({ start, stop }) => stop - start), ...others]) * itemsize;
}

/** The bytes of an array whose items are one after the other. Along an axis, all items between two are read, or a chunk for each. */
function inRows({ shape = [], itemsize = 1, order, chunkNbytes }: Description, window: [ShownAxis, ShownAxis]): number {
  const unit = Math.max(GAP, chunkNbytes ?? 0, itemsize);
  const isInner = (axis: number, than: number) => (order === "F" ? axis < than : axis > than);
  const along = ({ axis, start, stop, step }: ShownAxis, each: number) => {
    const stride = product(shape.filter((_, other) => isInner(other, axis))) * itemsize * step;
    return Math.ceil((stop - start) / step) * Math.min(stride, each);
  };
  const [first, second] = window;
  const [outer, inner] = isInner(second.axis, first.axis) ? [first, second] : [second, first];
  return along(outer, Math.max(unit, along(inner, unit)));
}
