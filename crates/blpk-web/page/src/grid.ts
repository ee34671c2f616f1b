// Values as texts: items of arrays, rows of tables, bytes in hexadecimal.

import { remote } from "./client.js";
import { el } from "./dom.js";
import { problem } from "./problems.js";
import type { OpenedFile, Rows } from "./protocol.js";
import { scroller } from "./scroller.js";
import { axisSlider, slider } from "./slider.js";

/** Maximum number of columns that are shown at a time. */
const COLUMNS = 24;
/** Number of bytes in a row. */
const BYTES = 16;

/** Puts problems in place of rows that cannot be read. */
function cellsOf(rows: Rows, start: number): string[][] {
  const seen = new Set(rows.problems.map(([, text]) => text));
  if (seen.size > 0) problem("rows", [...seen]);
  const cells = rows.cells;
  for (const [row, text] of rows.problems) if ((cells[row - start]?.length ?? 1) === 0) cells[row - start] = [`✗ ${text}`];
  return cells;
}

/** Shows the items of an array: a row for each index of the first axis. */
export function valuesGrid(file: OpenedFile, place: HTMLElement): void {
  const { shape = [], leaves } = file.description;
  const names = (leaves ?? []).map(({ name }, at) => name || (leaves && leaves.length > 1 ? `field ${at}` : "value"));
  const length = shape.length === 0 ? 1 : (shape[0] ?? 0);
  const across = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  const at = shape.slice(1, -1).map(() => 0);
  let first = 0;
  const shownColumns = () => Math.min(COLUMNS, across - first);
  const slice = (start: number, stop: number) => {
    const columns = shape.length > 1 ? [`${first}:${first + shownColumns()}`] : [];
    return [`${start}:${stop}`, ...at.map(String), ...columns].join(",");
  };
  const head = () => {
    if (shape.length <= 1) return names.length > 0 ? names : ["value"];
    const columns = Array.from({ length: shownColumns() }, (_, column) => String(first + column));
    return names.length > 1 ? columns.flatMap((column) => names.map((name) => `${column} ${name}`)) : columns;
  };
  const read = async (start: number, stop: number) => {
    return cellsOf(await remote.texts(file.key, slice(start, stop), stop - start), start);
  };
  const isText = () => (leaves ?? []).some(({ kind }) => kind === "U" || kind === "S");
  const table = scroller({ length, head: head(), label: `Values, ${length} rows`, name: String, read, isText });
  const sliders = at.map((_, axis) => axisSlider(axis + 1, shape[axis + 1] ?? 1, 0, (index) => ((at[axis] = index), table.reset())));
  if (across > COLUMNS) {
    sliders.push(slider("first column", across - COLUMNS + 1, 0, (index) => ((first = index), table.reset({ head: head() }))));
  }
  place.replaceChildren(...sliders, table.element);
}

/** Shows the rows of a table. */
export function tableGrid(file: OpenedFile, place: HTMLElement): void {
  const { members = [], rows = 0 } = file.description;
  let first = 0;
  const shown = () => members.slice(first, first + COLUMNS);
  let texts: boolean[] = [];
  const read = async (start: number, stop: number) => {
    const found = await remote.rows(file.key, shown(), start, stop);
    texts = found.isText ?? [];
    return cellsOf(found, start);
  };
  const isText = (column: number) => texts[column] ?? false;
  const table = scroller({ length: rows, head: shown(), label: `Table of ${rows} rows and ${members.length} columns`, name: String, read, isText });
  const controls: HTMLElement[] = [el("p", { class: "readout" }, `${rows.toLocaleString("en")} rows, ${members.length} columns`)];
  if (members.length > COLUMNS) {
    controls.push(slider("first column", members.length - COLUMNS + 1, 0, (index) => ((first = index), table.reset({ head: shown() }))));
  }
  place.replaceChildren(...controls, table.element);
}

/** Shows bytes in hexadecimal, and as text where they are ASCII. */
export function hexView(file: OpenedFile, place: HTMLElement): void {
  const size = file.description.nbytes ?? 0;
  const head = [...Array.from({ length: BYTES }, (_, at) => at.toString(16).padStart(2, "0")), "text"];
  const read = async (start: number, stop: number) => {
    const bytes = await remote.bytes(file.key, start * BYTES, Math.min(size, stop * BYTES));
    return Array.from({ length: stop - start }, (_, row) => {
      const line = [...bytes.subarray(row * BYTES, (row + 1) * BYTES)];
      const text = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      const cells = line.map((byte) => byte.toString(16).padStart(2, "0"));
      return [...cells, ...Array<string>(BYTES - cells.length).fill(""), text];
    });
  };
  const name = (row: number) => (row * BYTES).toString(16).padStart(8, "0");
  const table = scroller({ length: Math.ceil(size / BYTES), head, label: `${size} bytes in hexadecimal`, name, read });
  place.replaceChildren(table.element);
}
