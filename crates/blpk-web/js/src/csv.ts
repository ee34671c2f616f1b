// Comma-separated values, made in parts: the text of an array may be many times as large as the array.

import type { Leaf } from "./typed.js";

/** The items of an array as lines, one for each index of the first axis. */
export interface CsvSource {
  dtype: string;
  leaves: Leaf[] | null;
  /** Reads the items of a slice, and returns their shape. */
  start(slice: string): Promise<number[]>;
  /** Returns the next lines of `across` items, each with a newline; none after the last. */
  part(most: number, across: number): Promise<Uint8Array>;
}

/** Maximum number of bytes of a file. */
const MAX_BYTES = 2 ** 31 - 1;
/** Lines of a table that are put together at a time. */
const LINES = 4096;
const [NEWLINE, QUOTE, COMMA] = [10, 34, 44];
/** A line without text, which readers would take for no line. */
const EMPTY = new TextEncoder().encode('""\n');

/** Returns the items of all sources side by side, after a line with the names that `blpk` gives. */
export async function csvOf(sources: [name: string, source: CsvSource][], slice: string, onProgress?: (made: number) => void): Promise<Uint8Array> {
  const names: string[] = [];
  const started: Started[] = [];
  let rows: number | undefined;
  for (const [name, { dtype, leaves, start, part }] of sources) {
    if (!leaves?.every(hasText)) throw Object.assign(new Error(`items of dtype ${dtype} have no text`), { kind: "unsupported" });
    const [count, ...inner] = await start(slice);
    rows ??= count;
    if (count !== rows) throw Object.assign(new Error(`the column ${name} has ${count} of these rows, the first column ${rows}`), { kind: "damaged" });
    for (const field of fieldNames(name, leaves, inner)) names.push(field);
    const across = Math.max(1, inner.reduce((product, length) => product * length, 1));
    started.push((most) => part(most, across));
  }
  const head = new TextEncoder().encode(`${names.map(quoted).join(",") || '""'}\n`);
  const parts: Uint8Array[] = [head];
  let size = head.length;
  onProgress?.(size);
  for (;;) {
    const part = await (started.length === 1 ? single(started[0] as Started) : sideBySide(started));
    if (part.length === 0) return joined(parts, size);
    parts.push(part);
    size += part.length;
    onProgress?.(size);
    if (size > MAX_BYTES) throw Object.assign(new Error(`the text has more than ${MAX_BYTES} bytes; select fewer items`), { kind: "limit" });
    // Other calls get their turn.
    await new Promise((done) => setTimeout(done));
  }
}

/** Maximum length of a text that is shown, and of the scalars of a subarray. */
const MAX_TEXT = 256;

/** Returns the texts of the scalars of each item, for display: long ones are cut, and a subarray is one text. */
export async function textsOf(source: CsvSource, slice: string): Promise<string[][]> {
  await source.start(slice);
  // A byte order mark is a character of the text.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const items: string[][] = [];
  for (;;) {
    const part = await source.part(0xffff_ffff, 1);
    if (part.length === 0) return items;
    for (const line of lines(part)) items.push(scalarsOf(fieldsOf(decoder.decode(line.subarray(0, -1))), source.leaves));
  }
}

/** Returns the fields of a line, each cut to what is shown. */
function fieldsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(",").map(cut);
  const fields: string[] = [];
  const next = /("[^"]*(?:""[^"]*)*"|[^,]*)(,?)/y;
  for (;;) {
    const [, field = "", comma] = next.exec(line) ?? [];
    fields.push(cut(unquoted(field)));
    if (!comma) return fields;
  }
}

const unquoted = (field: string): string => field.replace(/^"([^]*)"$/, (_, inner: string) => inner.replaceAll('""', '"'));

/** Cuts a text to the characters that are shown, of which none is a half of one. */
const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${[...text.slice(0, 2 * MAX_TEXT)].slice(0, MAX_TEXT).join("")}…`);

/** Puts the scalars of a subarray into one text. */
function scalarsOf(fields: string[], leaves: Leaf[] | null): string[] {
  if (!leaves?.some(({ axes }) => axes.length > 0)) return fields;
  let at = 0;
  return leaves.map(({ axes }) => {
    const length = axes.reduce((product, axis) => product * axis, 1);
    const texts = fields.slice(at, at + length);
    at += length;
    if (axes.length === 0) return texts[0] ?? "";
    return `[${texts.slice(0, MAX_TEXT).join(" ")}${length > MAX_TEXT ? " …" : ""}]`;
  });
}

/** Returns the next lines of a source, at most as many. */
type Started = (most: number) => Promise<Uint8Array>;

/** Returns whether a scalar has a text: floats of more than 8 bytes have none. */
const hasText = ({ kind, itemsize }: Leaf): boolean => !(kind === "f" && itemsize > 8) && !(kind === "c" && itemsize > 16);

/** Returns the next lines of the only source. */
async function single(source: Started): Promise<Uint8Array> {
  const text = await source(0xffff_ffff);
  if (!text.some((byte, at) => byte === NEWLINE && (at === 0 || text[at - 1] === NEWLINE))) return text;
  const filled = lines(text).map((line) => (line.length === 1 ? EMPTY : line));
  return joined(filled, filled.reduce((size, line) => size + line.length, 0));
}

/** Returns the next lines of several sources, each with the fields of all. */
async function sideBySide(sources: Started[]): Promise<Uint8Array> {
  const found: Uint8Array[][] = [];
  for (const source of sources) found.push(await gathered(source, LINES));
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let row = 0; row < (found[0]?.length ?? 0); row++) {
    for (const [at, column] of found.entries()) {
      const line = (column[row] as Uint8Array).slice();
      if (at + 1 < found.length) line[line.length - 1] = COMMA;
      parts.push(line);
      size += line.length;
    }
  }
  return joined(parts, size);
}

/** Returns the next `count` lines of a source, which may give them in several parts. */
async function gathered(source: Started, count: number): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  while (found.length < count) {
    const text = await source(count - found.length);
    if (text.length === 0) break;
    found.push(...lines(text));
  }
  return found;
}

/** Cuts text into lines, each with its newline. One in quotes is part of a field. */
function lines(text: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === QUOTE) isQuoted = !isQuoted;
    if (text[at] !== NEWLINE || isQuoted) continue;
    found.push(text.subarray(start, at + 1));
    start = at + 1;
  }
  return found;
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns the names of the fields in a line: the column, the field, and the indices along other axes. */
function fieldNames(column: string, leaves: Leaf[], axes: number[]): string[] {
  const named = leaves.map((leaf) => ({ name: [column, leaf.name].filter((part) => part !== "").join(".") || "f0", places: places(leaf.axes) }));
  return places(axes).flatMap((item) => named.flatMap(({ name, places }) => places.map((scalar) => `${name}${item}${scalar}`)));
}

/** Returns the indices along axes of all items as suffixes: `_1_0`. */
function places(axes: number[]): string[] {
  return axes.reduce<string[]>((found, length) => found.flatMap((place) => Array.from({ length }, (_, at) => `${place}_${at}`)), [""]);
}

/** Quotes a text for CSV where it needs that. */
const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
