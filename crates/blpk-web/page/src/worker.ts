// The worker: opens files, reads and decodes, and computes what is drawn. The page only draws.

import { loadOpen, open, type BlpkError, type Lost, type Opened, type Traffic, type TypedArray } from "../../js/src/index.js";
import { unlessCancelled } from "../../js/src/cancel.js";
import { envelope, histogramOf, statsOf, toNumbers } from "./numbers.js";
import { chunksOf } from "./lost.js";
import type { Answer, Calls, Exact, Line, LineRequest, OpenedFile, Plane, PlaneRequest, Place, Request, Rows, Start } from "./protocol.js";

let loaded: Promise<void> | undefined;

let opened: Opened[] = [];

const found = (key: number): Opened => {
  const file = opened[key];
  if (file === undefined) throw Object.assign(new Error("the file was closed"), { kind: "invalid" });
  return file;
};

async function described(file: Opened): Promise<OpenedFile> {
  // A member may be chosen again.
  const known = opened.indexOf(file);
  const key = known < 0 ? opened.push(file) - 1 : known;
  let info = "";
  try {
    info = await file.info();
  } catch (error) {
    info = `the facts cannot be read: ${(error as Error).message}`;
  }
  return { key, description: file.description, info };
}

function placeOf(place: Place) {
  if ("file" in place) return place.file;
  if ("files" in place) return place.files;
  if ("directory" in place) return place.directory;
  return place.url;
}

/** Returns the range of an axis in NumPy's notation. */
const rangeText = ({ start, stop, step }: { start: number; stop: number; step: number }) => `${start}:${stop}:${step}`;

/** Marks the items of parts that cannot be read. */
function mark(lost: Lost[], shape: number[], axes: number[], length: number): Uint8Array {
  const marks = new Uint8Array(length);
  const [rowAxis = 0, columnAxis] = axes;
  const columns = columnAxis === undefined ? 1 : (shape[1] ?? 1);
  for (const part of lost) {
    const [rows, cells] = [[part.start[rowAxis] ?? 0, part.stop[rowAxis] ?? 1], [0, 1]];
    if (columnAxis !== undefined) [cells[0], cells[1]] = [part.start[columnAxis] ?? 0, part.stop[columnAxis] ?? 1];
    for (let row = rows[0] ?? 0; row < (rows[1] ?? 0); row++) marks.fill(1, row * columns + (cells[0] ?? 0), row * columns + (cells[1] ?? 1));
  }
  return marks;
}

/** Returns the items if they are integers that floats do not hold. */
const exactOf = (data: TypedArray): Exact | undefined => (data instanceof BigInt64Array || data instanceof BigUint64Array ? data : undefined);

async function plane(request: PlaneRequest): Promise<Plane> {
  const { key, rowAxis, columnAxis, at, rows, columns, isLog } = request;
  const file = found(key);
  const slice = at.map((index, axis) => (axis === rowAxis ? rangeText(rows) : axis === columnAxis ? rangeText(columns) : String(index)));
  const { data, shape, lost } = await file.readRest(slice.join(","));
  const selection = at.map((index, axis) => (axis === rowAxis ? rows : axis === columnAxis ? columns : { start: index, stop: index + 1, step: 1 }));
  const damaged = chunksOf(lost, selection, file.description);
  let values = toNumbers(data, (file.description.leaves ?? [])[0] as never);
  let exact = exactOf(data);
  const isTransposed = rowAxis > columnAxis;
  let [height = 1, width = 1] = shape;
  let marks = mark(lost, shape, isTransposed ? [columnAxis, rowAxis] : [rowAxis, columnAxis], values.length);
  if (isTransposed) {
    [values, marks] = [transposed(values, height, width), transposed(marks, height, width)];
    exact &&= transposed(exact, height, width);
    [height, width] = [width, height];
  }
  const problems = [...new Set(lost.map((part) => part.problem))];
  const histogram = histogramOf(values, isLog, marks);
  return { values: values.slice(), exact, rows: height, columns: width, lost: marks, problems, damaged, stats: statsOf(values, marks), histogram };
}

function transposed<T extends Float64Array | Uint8Array | Exact>(values: T, rows: number, columns: number): T {
  const result = new (values.constructor as new (length: number) => T)(values.length);
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) result[column * rows + row] = values[row * columns + column] as T[number];
  return result;
}

async function line(request: LineRequest): Promise<Line> {
  const { key, start, stop, width, isLog } = request;
  const file = found(key);
  const { data, lost } = await file.readRest(`${start}:${stop}`);
  const values = toNumbers(data, (file.description.leaves ?? [])[0] as never);
  const marks = mark(lost, [values.length], [0], values.length);
  const [stats, histogram] = [statsOf(values, marks), histogramOf(values, isLog, marks)];
  const plotted = lost.length > 0 ? values.map((value, at) => (marks[at] ? Number.NaN : value)) : values;
  const step = Math.max(1, Math.ceil(values.length / width));
  return { step, ...envelope(plotted, step), exact: step === 1 ? exactOf(data) : undefined, lost, damaged: chunksOf(lost, [{ start, stop, step: 1 }], file.description), stats, histogram };
}

/** Maximum number of items of a cell of a table. */
const MOST_INNER = 256;

/** Returns how many items along each axis are shown of a box with more than `most`. */
function firstOf(shape: number[], most: number): number[] {
  let left = most;
  const parts = shape.toReversed().map((length) => {
    const part = Math.min(length, Math.max(1, left));
    left = Math.floor(left / Math.max(1, part));
    return part;
  });
  return parts.reverse();
}

/** Reads that may fail in one call because a server or a disk does. More would make requests without end. */
const MOST_FAILURES = 8;

/** Counts the reads of a call that failed because a server or a disk did. */
interface Failures {
  count: number;
}

/** Reads rows of texts; rows that cannot be read are found by halving. */
async function tolerant(start: number, stop: number, failures: Failures, read: (start: number, stop: number) => Promise<string[][]>): Promise<Rows> {
  try {
    return { cells: await read(start, stop), problems: [], isFailed: false };
  } catch (error) {
    const { kind, message } = error as BlpkError;
    if (kind === "broken" || kind === "memory" || kind === "limit" || stop - start < 1) throw error;
    if (kind === "io" && ++failures.count > MOST_FAILURES) throw error;
    if (stop - start === 1) return { cells: [[]], problems: [[start, message]], isFailed: kind === "io" };
    const middle = Math.floor((start + stop) / 2);
    const [first, second] = [await tolerant(start, middle, failures, read), await tolerant(middle, stop, failures, read)];
    return { cells: [...first.cells, ...second.cells], problems: [...first.problems, ...second.problems], isFailed: first.isFailed || second.isFailed };
  }
}

const calls: Calls = {
  open: async (place, raw) => {
    await calls.close();
    await loaded;
    return described(await open(placeOf(place), { raw }));
  },
  member: async (key, name) => described(await memberOf(found(key), name)),
  chunks: (key, start, stop) => found(key).chunks(start, stop),
  plane,
  line,
  texts: (key, slice, rows, from, to) => {
    const file = found(key);
    const failures = { count: 0 };
    // An array without axes is one item.
    if (file.shape.length === 0) return tolerant(0, 1, failures, async () => [(await file.texts()).flat().slice(from, to)]);
    const [first = ":", ...rest] = slice.split(",");
    const row = Number(first.split(":")[0]);
    const read = async (start: number, stop: number) => {
      const items = await file.texts([`${start}:${stop}`, ...rest].join(","));
      const columns = Math.max(1, items.length / Math.max(1, stop - start));
      return Array.from({ length: stop - start }, (_, row) => items.slice(row * columns, (row + 1) * columns).flat().slice(from, to));
    };
    return tolerant(row, row + rows, failures, read);
  },
  rows: async (key, columns, start, stop) => {
    const table = found(key);
    const isText: boolean[] = [];
    const failures = { count: 0 };
    const result: Rows = { cells: Array.from({ length: stop - start }, () => []), problems: [], isFailed: false, isText };
    for (const name of columns) {
      let column: Opened;
      try {
        column = await memberOf(table, name);
      } catch (error) {
        const { kind, message } = error as BlpkError;
        if (kind === "broken" || kind === "memory" || kind === "invalid") throw error;
        isText.push(false);
        result.cells.forEach((cells) => cells.push("✗"));
        result.problems.push([start, `${name}: ${message}`]);
        result.isFailed ||= kind === "io";
        continue;
      }
      isText.push(["U", "S"].includes(column.description.leaves?.[0]?.kind ?? ""));
      const [length = 0, ...inner] = column.shape;
      const parts = firstOf(inner, MOST_INNER);
      const each = parts.reduce((product, part) => product * part, 1);
      const isCut = parts.some((part, axis) => part < (inner[axis] ?? 0));
      const read = async (from: number, to: number) => {
        const items = await column.texts([`${from}:${to}`, ...parts.map((part) => `0:${part}`)].join(","));
        return Array.from({ length: to - from }, (_, row) => [`${items.slice(row * each, (row + 1) * each).flat().join(" ")}${isCut ? " …" : ""}`]);
      };
      // A column may be shorter than the first.
      const end = Math.max(start, Math.min(stop, length));
      const { cells, problems, isFailed } = start < end ? await tolerant(start, end, failures, read) : { cells: [], problems: [], isFailed: false };
      result.cells.forEach((row, at) => row.push(cells[at]?.[0] ?? "✗"));
      if (end < stop) result.problems.push([end, `${name}: the column has ${length} rows`]);
      result.problems.push(...problems);
      result.isFailed ||= isFailed;
    }
    return result;
  },
  bytes: (key, start, stop) => found(key).bytes(start, stop),
  save: async (key, slice, format) => {
    const { signal } = saving.controller;
    const onProgress = (made: number) => (saving.made = made);
    return found(key).save(slice, format, { signal, onProgress }).finally(() => (saving.made = undefined));
  },
  cancel: async () => saving.controller.abort(),
  traffic: async () => traffic(),
  close: async () => {
    for (const file of opened) file.close();
    opened = [];
    members.clear();
  },
};

/** The last download: what cancels it, and how many bytes are made. The page asks for another one when this has ended. */
let saving = newDownload();

function newDownload(): { controller: AbortController; made: number | undefined } {
  return { controller: new AbortController(), made: undefined };
}

/** The members that were opened, by their names: one file or directory is open at a time. */
const members = new Map<string, Promise<Opened>>();

function memberOf(root: Opened, name: string): Promise<Opened> {
  const known = members.get(name) ?? root.member(name);
  members.set(name, known);
  // Another call tries again.
  known.catch(() => members.delete(name));
  return known;
}

function traffic(): Traffic {
  const { read = 0, requests = 0, stored = 0, isPartial = false, refused = 0 } = opened[0]?.traffic ?? {};
  return { read, requests, stored, isPartial, refused };
}

/**
 * Sends an answer. Bytes, which may be a large download, are moved: copying them would block the page's thread. Calls that
 * return bytes have just made their buffer, and nothing else refers to it.
 */
function post(answer: Answer): void {
  const { value } = answer;
  self.postMessage(answer, value instanceof Uint8Array ? { transfer: [value.buffer] } : {});
}

/** Calls run one after the other. A download, which may take long, runs beside them. */
let last: Promise<unknown> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<Request | Start>) => {
  if ("module" in data) {
    loaded = loadOpen(data.module);
    loaded.catch(() => {});
    return;
  }
  const { id, name, args } = data;
  const run = async () => {
    const progress = setInterval(() => self.postMessage({ traffic: traffic(), made: saving.made } satisfies Answer), 250);
    try {
      const value = await (calls[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      post({ id, value, traffic: traffic() });
    } catch (error) {
      const { message, kind = "invalid" } = error as BlpkError;
      post({ id, error: { message, kind }, traffic: traffic() });
    }
    clearInterval(progress);
  };
  if (name === "save") {
    saving = newDownload();
    // One that is cancelled does not wait for its turn.
    void unlessCancelled(last, saving.controller.signal).then(run, run);
  } else if (name === "cancel") void run();
  else last = last.then(run);
});
