// Selections of items, in NumPy's notation.

import { invalid } from "./check.js";

/** The selection along one axis: an index, `null` for all, or start, stop and step. */
export type AxisSlice = number | null | readonly [start: number | null, stop: number | null, step?: number | null];

/** A selection: `"1:3,::2"`, or a list with an entry for each axis. */
export type Slice = string | readonly AxisSlice[];

/** Returns a selection in NumPy's notation. */
export function sliceText(slice: Slice | undefined): string {
  if (slice === undefined) return "...";
  if (typeof slice === "string") return slice === "" ? "..." : slice;
  if (!Array.isArray(slice)) throw invalid(`${String(slice)} is no slice`);
  const number = (value: number | null | undefined) => {
    if (value === null || value === undefined) return "";
    if (!Number.isSafeInteger(value)) throw invalid(`${String(value)} is no index`);
    return String(value);
  };
  const texts = Array.from(slice as readonly AxisSlice[], (axis) => {
    if (axis === null) return ":";
    if (typeof axis === "number") return number(axis);
    if (!Array.isArray(axis)) throw invalid(`${String(axis)} is no index`);
    const [start, stop, step] = axis;
    return `${number(start)}:${number(stop)}${step === undefined || step === null ? "" : `:${number(step)}`}`;
  });
  return texts.length === 0 ? "..." : texts.join(",");
}
