// A table that scrolls through any number of rows: only the rows in view exist.

import { el } from "./dom.js";

/** The height of a row, as in the style sheet. */
const ROW = 24;
/** Browsers limit the height of an element. Beyond, a pixel of the scroll bar is several rows. */
const MAX_HEIGHT = 8_000_000;
/** Number of rows that are asked for at once. */
const PAGE = 64;

/** Where the rows come from. */
export interface RowSource {
  length: number;
  /** The names of the columns, after the one with the number of the row. */
  head: string[];
  label: string;
  /** The number of a row as text. */
  name(row: number): string;
  read(start: number, stop: number): Promise<string[][]>;
  isText?: boolean;
}

/** Returns the table and a function that forgets its rows. */
export function scroller(source: RowSource): { element: HTMLElement; reset(next?: Partial<RowSource>): void } {
  const pages = new Map<number, string[][] | "coming">();
  let current = 0;
  let top = 0;
  const body = el("tbody", {});
  const headRow = el("tr", {});
  const table = el("table", { role: "grid", "aria-label": source.label, "aria-rowcount": source.length + 1 }, el("thead", {}, headRow), body);
  const spacer = el("div", { class: "spacer" });
  const element = el("div", { class: "scroller", tabIndex: 0, role: "group", "aria-label": `${source.label}. Arrow and page keys scroll.` }, table, spacer);

  const height = () => Math.min(MAX_HEIGHT, source.length * ROW);
  const visible = () => Math.max(1, Math.floor((element.clientHeight || 416) / ROW) - 1);
  const last = () => Math.max(0, source.length - visible());

  function layout(): void {
    headRow.replaceChildren(el("th", { scope: "col" }, "#"), ...source.head.map((name) => el("th", { scope: "col" }, name)));
    table.setAttribute("aria-rowcount", String(source.length + 1));
    spacer.style.height = `${height()}px`;
  }

  /** Shows the rows from `top` on. */
  function show(): void {
    const rows: HTMLElement[] = [];
    for (let row = top; row < Math.min(source.length, top + visible() + 1); row++) {
      const page = pages.get(Math.floor(row / PAGE));
      const cells = page === undefined || page === "coming" ? ["…"] : (page[row % PAGE] ?? []);
      const kind = source.isText ? "text" : undefined;
      const columns = cells.map((cell) => el("td", { role: "gridcell", class: cell.startsWith("✗") ? "damaged" : kind, title: cell.length > 40 ? cell : undefined }, cell));
      rows.push(el("tr", { "aria-rowindex": row + 2, class: row === current ? "current" : undefined }, el("th", { scope: "row" }, source.name(row)), ...columns));
    }
    body.replaceChildren(...rows);
    for (const page of [Math.floor(top / PAGE), Math.floor((top + visible()) / PAGE)]) void load(page);
  }

  async function load(page: number): Promise<void> {
    if (pages.has(page) || page * PAGE >= source.length) return;
    pages.set(page, "coming");
    if (pages.size > 200) for (const old of [...pages.keys()].slice(0, 100)) if (old !== page) pages.delete(old);
    const [start, stop] = [page * PAGE, Math.min(source.length, (page + 1) * PAGE)];
    try {
      pages.set(page, await source.read(start, stop));
    } catch (error) {
      pages.set(page, Array.from({ length: stop - start }, () => [`✗ ${(error as Error).message}`]));
    }
    show();
  }

  function scrollTo(row: number): void {
    top = Math.min(last(), Math.max(0, row));
    const space = element.scrollHeight - element.clientHeight;
    isOwn = true;
    element.scrollTop = last() === 0 ? 0 : (top / last()) * space;
    show();
  }

  let isOwn = false;
  element.addEventListener("scroll", () => {
    if (isOwn) {
      isOwn = false;
      return;
    }
    const space = element.scrollHeight - element.clientHeight;
    top = space <= 0 ? 0 : Math.round((element.scrollTop / space) * last());
    requestAnimationFrame(show);
  });
  element.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: visible(), PageUp: -visible(), Home: -source.length, End: source.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    current = Math.min(source.length - 1, Math.max(0, current + step));
    if (current < top || current >= top + visible()) scrollTo(step > 0 ? current - visible() + 1 : current);
    else show();
  });
  new ResizeObserver(() => show()).observe(element);
  layout();
  return {
    element,
    reset: (next) => {
      Object.assign(source, next);
      pages.clear();
      layout();
      show();
    },
  };
}
