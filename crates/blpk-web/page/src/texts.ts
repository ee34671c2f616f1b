// Texts of single values, in full precision.

import type { Leaf } from "../../js/src/index.js";
import { NOT_A_TIME, shown } from "./numbers.js";

/** Number of digits of the fraction of a second, for units that have one. */
const DIGITS: Record<string, number> = { s: 0, ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 };
/** Seconds of longer units. */
const SECONDS: Record<string, bigint> = { m: 60n, h: 3600n, D: 86_400n, W: 604_800n };

/** Divides integers, rounding down. */
function divided(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** Returns the shortest text of a float of up to 4 bytes. */
function short(value: number): string {
  const texts = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => String(Number(value.toPrecision(digits))));
  return texts.find((text) => Math.fround(Number(text)) === value) ?? String(value);
}

/** Formats a time since 1970 as ISO 8601, to the precision of its unit. `undefined` for times that JavaScript's dates do not reach. */
function dateText(time: bigint, unit: string): string | undefined {
  const digits = DIGITS[unit] ?? 0;
  const scale = 10n ** BigInt(digits);
  const seconds = unit in SECONDS ? time * (SECONDS[unit] as bigint) : divided(time, scale);
  const date = new Date(Number(seconds) * 1000);
  if (unit === "Y" || unit === "M") {
    const months = unit === "Y" ? time * 12n : time;
    date.setTime(0);
    date.setUTCFullYear(1970 + Number(divided(months, 12n)), Number(months - 12n * divided(months, 12n)));
  }
  if (Number.isNaN(date.getTime())) return undefined;
  const [whole = "", clock = ""] = date.toISOString().split("T");
  // Years outside 0 to 9999 have a sign and six digits there. NumPy writes no plus, and no more zeros than needed.
  const day = whole.replace(/^([+-])0*(\d+)/, (_, sign, year) => (sign === "-" ? `-${year.padStart(3, "0")}` : year.padStart(4, "0")));
  if (unit === "Y") return day.slice(0, -6);
  if (unit === "M") return day.slice(0, -3);
  if (unit === "D" || unit === "W") return day;
  if (unit === "h" || unit === "m") return `${day}T${clock.slice(0, unit === "h" ? 2 : 5)}`;
  const fraction = digits > 0 ? `.${(time - seconds * scale).toString().padStart(digits, "0")}` : "";
  return `${day}T${clock.slice(0, 8)}${fraction}`;
}

function timeText(time: bigint, leaf: Leaf): string {
  if (time === NOT_A_TIME) return "NaT";
  const [, multiple, unit] = /\[(\d*)([A-Za-z]+)\]/.exec(leaf.dtype) ?? [];
  if (unit === undefined) return String(time);
  const units = time * BigInt(multiple || 1);
  const date = leaf.kind === "M" ? dateText(units, unit) : undefined;
  return date ?? `${units} ${unit}`;
}

/** Returns the text of a summary, such as a mean, of values of a dtype: a few digits, and dates as dates. */
export function summaryText(value: number, leaf?: Leaf): string {
  if (leaf?.kind !== "M" && leaf?.kind !== "m") return shown(value);
  // Summaries are floats, which do not hold all nanoseconds of our days.
  return (Math.abs(value) > Number.MAX_SAFE_INTEGER ? "≈ " : "") + textOf(value, leaf);
}

/** Returns what is before the values of a dtype in texts: numbers that are plotted for complex ones are magnitudes. */
export const magnitudeOf = (leaf?: Leaf): string => (leaf?.kind === "c" ? "magnitude " : "");

/** Lengths of a date to its year, month, day, minute and second. */
const DATE_PARTS = [4, 7, 10, 16, 19];

/** Returns texts of values for an axis or a scale: dates without the parts that are not needed to tell them apart. */
export function labelsOf(values: number[], leaf?: Leaf): string[] {
  if (leaf?.kind !== "M") return values.map((value) => (Number.isFinite(value) ? summaryText(value, leaf) : ""));
  const texts = values.map((value) => (Number.isFinite(value) ? textOf(value, leaf) : ""));
  const length = DATE_PARTS.find((part) => new Set(texts.map((text) => text.slice(0, part))).size === new Set(texts).size);
  return texts.map((text) => text.slice(0, length));
}

/** Returns the text of a value of a dtype: all digits, and dates as dates. */
export function textOf(value: number | bigint, leaf?: Leaf): string {
  const isTime = leaf?.kind === "M" || leaf?.kind === "m";
  if (isTime && Number.isNaN(value)) return "NaT";
  if (typeof value === "number" && !Number.isFinite(value)) return shown(value);
  if (leaf && isTime) return timeText(typeof value === "bigint" ? value : BigInt(Math.round(value)), leaf);
  if (typeof value === "bigint") return String(value);
  return leaf?.kind === "f" && leaf.itemsize <= 4 ? short(value) : String(value);
}
