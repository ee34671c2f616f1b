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

/**
 * Returns the slice of a table with its rows as a range without negative ends, which selects the same rows of columns of all
 * lengths and keeps the axis of rows; and the end of these rows. A row that does not exist, and what is no slice, stays as it
 * is.
 */
export function rowsOf(slice: string, rows: number): [slice: string, end: number] {
  const [, before = "", first = "", after = ""] = /^(\s*\[?\s*)([^,\]]*?)(\s*(?:[,\]][^]*)?)$/.exec(slice) ?? [];
  if (first === "..." && !after.includes(",")) return [`${before}0:${rows}${after}`, rows];
  if (/^[+-]?\d+$/.test(first)) {
    const row = Number(first) + (Number(first) < 0 ? rows : 0);
    return row >= 0 && row < rows ? [`${before}${row}:${row + 1}${after}`, row + 1] : [slice, rows];
  }
  const range = /^([+-]?\d*)\s*:\s*([+-]?\d*)\s*(?::\s*([+-]?\d*))?$/.exec(first);
  const [start, stop, step = 1] = [range?.[1], range?.[2], range?.[3]].map((text) => (text ? Number(text) : undefined));
  if (range === null || step === 0) return [slice, rows];
  const [text, end] = rangeOf(start, stop, step, rows);
  return [`${before}${text}${after}`, end];
}

/** Returns a range of `length` indices as Python's `slice.indices`, and the end of its indices. */
function rangeOf(start: number | undefined, stop: number | undefined, step: number, length: number): [range: string, end: number] {
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const index = (at: number) => Math.min(most, Math.max(least, at < 0 ? at + length : at));
  const from = start === undefined ? (step > 0 ? least : most) : index(start);
  const to = stop === undefined ? (step > 0 ? most : least) : index(stop);
  if (step > 0 ? from >= to : from <= to) return ["0:0", 0];
  const last = step > 0 ? from + Math.floor((to - 1 - from) / step) * step : from;
  return [`${from}:${to < 0 ? "" : to}:${step}`, last + 1];
}
