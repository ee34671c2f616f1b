// Checks of arguments. The WebAssembly module would wrap or truncate numbers that do not fit.

import type { BlpkError } from "./module.js";

/** Returns the error for an argument that is refused. */
export function invalid(problem: string): Error {
  return Object.assign(new Error(problem), { kind: "invalid" });
}

/** Refuses a number that is no integer from `min` to `max`. */
export function checkInteger(name: string, value: unknown, min: number, max: number): void {
  const isFit = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  if (!isFit) throw invalid(`invalid ${name}: ${String(value)}; expected an integer from ${min} to ${max}`);
}

/** Refuses a value that is no text. */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== "string") throw invalid(`invalid ${name}: ${String(value)}; expected a text`);
}

/** Refuses a value that is none of `names`. */
export function checkName(name: string, value: unknown, names: readonly string[]): void {
  if (!names.includes(value as string)) throw invalid(`invalid ${name}: ${String(value)}; expected ${names.join(" or ")}`);
}

/** Gives an error a kind, unless it has one. */
export function withKind(error: unknown, kind: BlpkError["kind"]): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  return "kind" in known ? known : Object.assign(known, { kind });
}
