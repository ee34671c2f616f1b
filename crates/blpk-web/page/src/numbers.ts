// Numbers of a plot: values of any dtype as floats, statistics, histograms.

import type { Leaf, TypedArray } from "../../js/src/index.js";
import { scalarOf } from "../../js/src/typed.js";
import type { Histogram, Stats } from "./protocol.js";
import { rangeOf } from "./range.js";

/** The number that NumPy takes for "not a time". */
export const NOT_A_TIME = -(2n ** 63n);

/** Returns whether items of a dtype can be plotted. */
export function isPlottable(leaves: Leaf[] | null | undefined): boolean {
  const leaf = scalarOf(leaves);
  if (leaf === undefined || leaf.axes.length > 0) return false;
  return "biufcMm".includes(leaf.kind) && leaf.itemsize <= (leaf.kind === "c" ? 16 : 8);
}

/** Converts items to floats: complex numbers to their magnitude, times to their number, NaT to NaN. */
export function toNumbers(data: TypedArray, leaf: Leaf): Float64Array {
  if (leaf.kind === "c") {
    return Float64Array.from({ length: data.length / 2 }, (_, at) => Math.hypot(Number(data[2 * at]), Number(data[2 * at + 1])));
  }
  if (data instanceof Float64Array) return data;
  const isTime = leaf.kind === "M" || leaf.kind === "m";
  const numbers = new Float64Array(data.length);
  for (let at = 0; at < data.length; at++) {
    const value = data[at] as number | bigint;
    numbers[at] = isTime && value === NOT_A_TIME ? Number.NaN : Number(value);
  }
  return numbers;
}

/** Returns statistics of values, without those that are marked as lost. */
export function statsOf(values: Float64Array, lost?: Uint8Array): Stats {
  const stats: Stats = { count: 0, nan: 0, infinite: 0, min: Number.NaN, max: Number.NaN, mean: Number.NaN };
  let [min, max, sum, finite] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  // What each addition rounds away: the sum of many large values would lose more than their differences.
  let rest = 0;
  for (let at = 0; at < values.length; at++) {
    if (lost?.[at]) continue;
    const value = values[at] as number;
    stats.count++;
    if (Number.isNaN(value)) stats.nan++;
    else if (!Number.isFinite(value)) stats.infinite++;
    else {
      finite++;
      if (value < min) min = value;
      if (value > max) max = value;
      const next = sum + value;
      rest += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
    }
  }
  if (finite > 0) [stats.min, stats.max, stats.mean] = [min, max, Number.isFinite(sum + rest) ? (sum + rest) / finite : largeMean(values, finite, lost)];
  stats.mean = Math.min(stats.max, Math.max(stats.min, stats.mean));
  return stats;
}

/** Returns the mean of the finite values whose sum is too large for a float. */
function largeMean(values: Float64Array, finite: number, lost?: Uint8Array): number {
  return values.reduce((mean, value, at) => (Number.isFinite(value) && !lost?.[at] ? mean + value / finite : mean), 0);
}

const BINS = 32;

/** Returns a histogram of the finite values, of their logarithms if `isLog`. */
export function histogramOf(values: Float64Array, isLog: boolean, lost?: Uint8Array): Histogram {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const scaled = (at: number) => {
    const value = values[at] as number;
    return lost?.[at] ? Number.NaN : isLog ? (value > 0 ? Math.log10(value) : Number.NaN) : value;
  };
  for (let at = 0; at < values.length; at++) {
    const value = scaled(at);
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const counts = new Array<number>(BINS).fill(0);
  if (low > high) return { low: 0, high: 0, counts };
  const range = rangeOf(low, high);
  for (let at = 0; at < values.length; at++) {
    const value = scaled(at);
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(BINS - 1, Math.floor(range.place(value) * BINS));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { low, high, counts };
}

/** Returns the least and greatest of each group of `step` values. NaN where a group has no number. */
export function envelope(values: Float64Array, step: number): { min: Float64Array; max: Float64Array } {
  const length = Math.ceil(values.length / step);
  const [min, max] = [new Float64Array(length).fill(Number.NaN), new Float64Array(length).fill(Number.NaN)];
  for (let group = 0; group < length; group++) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const end = Math.min(values.length, (group + 1) * step);
    for (let at = group * step; at < end; at++) {
      const value = values[at] as number;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low <= high) [min[group], max[group]] = [low, high];
  }
  return { min, max };
}

/** Formats a number for people. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value);
  return size !== 0 && (size < 1e-4 || size >= 1e9) ? Number(value.toPrecision(5)).toExponential() : String(Number(value.toPrecision(7)));
}

/** Formats a number of bytes. */
export function shownBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}
