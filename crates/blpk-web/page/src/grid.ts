// Values as texts: items of arrays, rows of tables, bytes in hexadecimal.

import { remote } from "./client.js";
import { el } from "./dom.js";
import type { OpenedFile, Rows } from "./protocol.js";
import { scroller, type RowPage } from "./scroller.js";
import { axisSlider, slider } from "./slider.js";

/** Maximum number of columns that are shown at a time. */
const COLUMNS = 24;
/** Number of bytes in a row. */
const BYTES = 16;

/** Puts problems in place of rows that cannot be read. */
function pageOf({ cells, problems, isFailed }: Rows, start: number): RowPage {
  for (const [row, text] of problems) if ((cells[row - start]?.length ?? 1) === 0) cells[row - start] = [`✗ ${text}`];
  return { cells, problems: problems.map(([, text]) => text), isFailed };
}

/** Shows the items of an array: a row for each index of the first axis. */
export function valuesGrid(file: OpenedFile, place: HTMLElement): void {
  const { shape = [], leaves } = file.description;
  const names = (leaves ?? []).map(({ name }, at) => name || (leaves && leaves.length > 1 ? `field ${at}` : "value"));
  const length = shape.length === 0 ? 1 : (shape[0] ?? 0);
  const across = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  const at = shape.slice(1, -1).map(() => 0);
  if (shape.includes(0)) {
    place.replaceChildren(el("p", {}, "There are no items."));
    return;
  }
  // The columns are the fields of the items along the last axis.
  const fields = Math.max(1, names.length);
  const total = across * fields;
  let first = 0;
  const last = () => Math.min(total, first + COLUMNS);
  /** The first item with a field that is shown. */
  const item = () => Math.floor(first / fields);
  const slice = (start: number, stop: number) => {
    const items = shape.length > 1 ? [`${item()}:${Math.ceil(last() / fields)}`] : [];
    return [`${start}:${stop}`, ...at.map(String), ...items].join(",");
  };
  const columnName = (column: number) => {
    const name = names[column % fields] ?? "value";
    if (shape.length <= 1) return name;
    return fields > 1 ? `${Math.floor(column / fields)} ${name}` : String(column);
  };
  const head = () => Array.from({ length: last() - first }, (_, column) => columnName(first + column));
  const read = async (start: number, stop: number) => {
    const skipped = item() * fields;
    return pageOf(await remote.texts(file.key, slice(start, stop), stop - start, first - skipped, last() - skipped), start);
  };
  const isText = (column: number) => ["U", "S"].includes(leaves?.[(first + column) % fields]?.kind ?? "");
  const table = scroller({ length, head: head(), label: `Values, ${length} rows`, name: String, read, isText });
  const sliders = at.map((_, axis) => axisSlider(axis + 1, shape[axis + 1] ?? 1, 0, (index) => ((at[axis] = index), table.reset())));
  if (total > COLUMNS) {
    sliders.push(slider("first column", total - COLUMNS + 1, 0, (index) => ((first = index), table.reset({ head: head() }))));
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
    return pageOf(found, start);
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
    const cells = Array.from({ length: stop - start }, (_, row) => {
      const line = [...bytes.subarray(row * BYTES, (row + 1) * BYTES)];
      const text = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      const cells = line.map((byte) => byte.toString(16).padStart(2, "0"));
      return [...cells, ...Array<string>(BYTES - cells.length).fill(""), text];
    });
    return { cells };
  };
  const name = (row: number) => (row * BYTES).toString(16).padStart(8, "0");
  const table = scroller({ length: Math.ceil(size / BYTES), head, label: `${size} bytes in hexadecimal`, name, read });
  place.replaceChildren(table.element);
}
