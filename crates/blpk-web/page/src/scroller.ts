// A table that scrolls through any number of rows: only the rows in view exist.

import { el, isOfBrowser } from "./dom.js";
import { problem } from "./problems.js";

/** The height of a row, as in the style sheet. */
const ROW = 24;
/** Browsers limit the height of an element. Beyond, a pixel of the scroll bar is several rows. */
const MAX_HEIGHT = 8_000_000;
/** Number of rows that are asked for at once. */
const PAGE = 64;

/** After so many milliseconds, rows that a server or a disk refused are asked for again. */
const RETRY = 2000;

/** Rows that were read. */
export interface RowPage {
  cells: string[][];
  /** What cannot be read. */
  problems?: string[];
  /** Whether another read may find more, because a server or a disk failed. */
  isFailed?: boolean;
}

/** Where the rows come from. */
export interface RowSource {
  length: number;
  /** The names of the columns, after the one with the number of the row. */
  head: string[];
  label: string;
  /** The number of a row as text. */
  name(row: number): string;
  read(start: number, stop: number): Promise<RowPage>;
  /** Whether a column has texts. */
  isText?(column: number): boolean;
}

let next = 0;

/** Returns the table and a function that forgets its rows. */
export function scroller(source: RowSource): { element: HTMLElement; reset(next?: Partial<RowSource>): void } {
  limit();
  const pages = new Map<number, RowPage>();
  /** When pages were read that failed. */
  const failures = new Map<number, number>();
  const id = `rows-${next++}`;
  let current = 0;
  let top = 0;
  /** Counts resets, so that rows that were asked for before one are not shown. */
  let age = 0;
  let isLoading = false;
  const body = el("tbody", { role: "rowgroup" });
  const headRow = el("tr", { role: "row", "aria-rowindex": 1 });
  const table = el("table", { role: "presentation" }, el("thead", { role: "rowgroup" }, headRow), body);
  const spacer = el("div", { class: "spacer" });
  // The grid has the focus, and names its current row. A screen reader then reads this row.
  const grid = el("div", { class: "scroller", tabIndex: 0, role: "grid", "aria-readonly": "true", "aria-label": source.label }, table, spacer);
  const goTo = el("input", { type: "number", id: `${id}-go`, min: "0", max: String(Math.max(0, source.length - 1)), value: "0", onchange: () => select(Math.round(Number(goTo.value)) || 0, true) });
  const controls = el("div", { class: "controls" }, el("label", { for: `${id}-go` }, `Go to line, 0 to ${Math.max(0, source.length - 1)}`), goTo);
  const hint = el("p", { class: "hint" }, "Click the table for the keys: arrow and page keys, Home and End.");
  const element = el("div", {}, controls, grid, hint);

  /** Leaves out rows whose numbers are not exact. */
  function limit(): void {
    source.length = Math.min(source.length, Number.MAX_SAFE_INTEGER);
  }

  const height = () => Math.min(MAX_HEIGHT, source.length * ROW);
  const visible = () => Math.max(1, Math.floor((grid.clientHeight || 416) / ROW) - 1);
  const last = () => Math.max(0, source.length - visible());

  function layout(): void {
    const column = (name: string) => el("th", { scope: "col", role: "columnheader" }, name);
    headRow.replaceChildren(column("#"), ...source.head.map(column));
    grid.setAttribute("aria-rowcount", String(source.length + 1));
    spacer.style.height = `${height()}px`;
  }

  /** Shows the rows from `top` on. */
  function show(): void {
    const rows: HTMLElement[] = [];
    for (let at = 0; at <= visible() && top + at < source.length; at++) {
      const row = top + at;
      const cells = pages.get(Math.floor(row / PAGE))?.cells[row % PAGE] ?? ["…"];
      const columns = cells.map((cell, column) => {
        const kind = cell.startsWith("✗") ? "damaged" : source.isText?.(column) ? "text" : undefined;
        return el("td", { role: "gridcell", class: kind, title: cell.length > 40 ? cell : undefined }, cell);
      });
      const isCurrent = row === current;
      const name = el("th", { scope: "row", role: "rowheader" }, source.name(row));
      const line = el("tr", { role: "row", id: isCurrent ? `${id}-current` : undefined, "aria-rowindex": row + 2, "aria-selected": isCurrent ? "true" : undefined, class: isCurrent ? "current" : undefined }, name, ...columns);
      line.addEventListener("click", () => select(row, false));
      rows.push(line);
    }
    body.replaceChildren(...rows);
    grid.setAttribute("aria-activedescendant", `${id}-current`);
    void load();
  }

  /** Reads the pages in view, one after the other. A view that was scrolled past is not read. */
  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    for (let page = missing(); page !== undefined; page = missing()) {
      if (pages.size > 200) forget();
      const [start, stop, asked] = [page * PAGE, Math.min(source.length, (page + 1) * PAGE), age];
      grid.setAttribute("aria-busy", "true");
      const failed = ({ message }: Error): RowPage => ({ cells: Array.from({ length: stop - start }, () => [`✗ ${message}`]), problems: [message], isFailed: true });
      const found = await source.read(start, stop).catch(failed);
      if (!element.isConnected) break;
      if (asked === age) keep(page, found);
      show();
    }
    isLoading = false;
    grid.removeAttribute("aria-busy");
  }

  function keep(page: number, found: RowPage): void {
    pages.set(page, found);
    if (found.isFailed) failures.set(page, Date.now());
    problem("rows", [...new Set([...pages.values()].flatMap(({ problems }) => problems ?? []))]);
  }

  function forget(): void {
    pages.clear();
    failures.clear();
  }

  /** Forgets pages that failed some time ago: they are asked for again. */
  function retry(): void {
    for (const [page, since] of failures) {
      if (Date.now() - since < RETRY) continue;
      failures.delete(page);
      pages.delete(page);
    }
  }

  /** Returns the number of a page in view that is not here. */
  function missing(): number | undefined {
    const inView = [Math.floor(top / PAGE), Math.floor((top + visible()) / PAGE)];
    return inView.find((page) => !pages.has(page) && page * PAGE < source.length);
  }

  let isOwn = false;

  function scrollTo(row: number): void {
    retry();
    top = Math.min(last(), Math.max(0, row));
    const before = grid.scrollTop;
    grid.scrollTop = last() === 0 ? 0 : (top / last()) * (grid.scrollHeight - grid.clientHeight);
    // The event of an earlier change may be still to come.
    isOwn ||= grid.scrollTop !== before;
    show();
  }

  /** Makes a row the current one, and scrolls to it if it is not in view. */
  function select(row: number, isFirst: boolean): void {
    retry();
    current = Math.min(source.length - 1, Math.max(0, row));
    goTo.value = String(current);
    if (current >= top && current < top + visible()) show();
    else scrollTo(isFirst ? current : current - visible() + 1);
  }

  grid.addEventListener("scroll", () => {
    if (isOwn) {
      isOwn = false;
      return;
    }
    retry();
    const space = grid.scrollHeight - grid.clientHeight;
    top = space <= 0 ? 0 : Math.round((grid.scrollTop / space) * last());
    requestAnimationFrame(show);
  });
  // Where a pixel of the scroll bar is several rows, the wheel would skip rows.
  grid.addEventListener("wheel", (event) => {
    if (height() < MAX_HEIGHT || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const rows = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY / ROW : event.deltaY;
    scrollTo(top + Math.sign(rows) * Math.max(1, Math.round(Math.abs(rows))));
  }, { passive: false });
  grid.addEventListener("keydown", (event) => {
    if (isOfBrowser(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: visible(), PageUp: -visible(), Home: -source.length, End: source.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select(current + step, step < 0);
  });
  new ResizeObserver(() => show()).observe(grid);
  layout();
  return {
    element,
    reset: (changes) => {
      Object.assign(source, changes);
      limit();
      forget();
      age++;
      layout();
      show();
    },
  };
}
