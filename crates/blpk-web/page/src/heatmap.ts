// A plane of an array as a heat map with axes, sliders for the other axes, zoom, and values on hover.

import { markChunks } from "./chunkmap.js";
import { latest, remote } from "./client.js";
import { css, LOST, NAN, scaleOf } from "./colours.js";
import { bytesOf, MOST_BYTES, MOST_FILES } from "./cost.js";
import { canvasOf, colour, el, isOfBrowser, say, wheelTurns } from "./dom.js";
import { drawAxis, drawScale, hatch, imageOf, scaleLabels, type Box } from "./heatdraw.js";
import { statistics } from "./histogram.js";
import { shownBytes } from "./numbers.js";
import { problem } from "./problems.js";
import type { AxisRange, OpenedFile, Plane } from "./protocol.js";
import type { Range } from "./range.js";
import { axisSlider } from "./slider.js";
import { magnitudeOf, summaryText, textOf } from "./texts.js";
import { zoomed } from "./zoom.js";

/** Maximum number of values along an axis that are shown at a time. */
const MOST = 512;
/** A plane up to this size is shown whole at first; of a larger one, a window without steps. */
const WHOLE = 32 << 20;
const LEFT = 64;
const BOTTOM = 36;

/** Shows the view in `place`. `onSlice` is told the slice that is shown. */
export function heatMap(file: OpenedFile, place: HTMLElement, onSlice: (slice: string) => void): Promise<void> {
  const { shape = [], nbytes = 0, leaves } = file.description;
  const at = shape.map((length) => Math.floor(length / 2));
  let [rowAxis, columnAxis] = [shape.length - 2, shape.length - 1];
  let [rows, columns] = [firstRange(rowAxis), firstRange(columnAxis)];
  let isLog = false;
  let plane: Plane | undefined;
  /** What was asked for when the plane was read. The rest may be about a plane to come. */
  let shown = { rowAxis, columnAxis, at, rows, columns };
  let scale: Range = scaleOf(0, 1, false, 1);
  let [row, column] = [0, 0];
  /** The cells of the plane, a pixel each. */
  let cells: OffscreenCanvas | undefined;
  let isDamaged = false;
  /** The width of the scale of colours with its labels. */
  let scaleWidth = 84;
  const summary = (value: number) => summaryText(value, leaves?.[0]);
  const magnitude = magnitudeOf(leaves?.[0]);
  const figures = statistics(leaves?.[0]);
  const readout = el("p", { class: "readout", role: "status" });
  const { canvas, paint } = canvasOf(420, "application", "Heat map", draw);

  function firstRange(axis: number): AxisRange {
    const length = shape[axis] ?? 1;
    const step = nbytes <= WHOLE ? Math.max(1, Math.ceil(length / MOST)) : 1;
    return { start: 0, stop: Math.min(length, step * MOST), step };
  }

  /** The place of the cells on the canvas. */
  function frame(width: number, height: number): Box {
    return { x: LEFT, y: 6, width: Math.max(1, width - LEFT - scaleWidth), height: Math.max(1, height - BOTTOM - 6) };
  }

  function draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!plane) return;
    const { labels, width: wanted } = scaleLabels(context, scale, leaves?.[0]);
    scaleWidth = wanted;
    const box = frame(width, height);
    context.imageSmoothingEnabled = false;
    if (cells) context.drawImage(cells, box.x, box.y, box.width, box.height);
    if (isDamaged) hatch(context, box, plane);
    drawAxis(context, box, { ...shown.columns, axis: shown.columnAxis }, false);
    drawAxis(context, box, { ...shown.rows, axis: shown.rowAxis }, true);
    drawScale(context, box, labels);
    const [cellWidth, cellHeight] = [box.width / plane.columns, box.height / plane.rows];
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    context.strokeRect(box.x + column * cellWidth, box.y + row * cellHeight, Math.max(3, cellWidth), Math.max(3, cellHeight));
    context.lineWidth = 1;
  }

  /** Returns the slice that is shown. */
  function slice(): string {
    const { rowAxis, columnAxis, at, rows, columns } = shown;
    return shape.map((_, axis) => (axis === rowAxis ? text(rows) : axis === columnAxis ? text(columns) : String(at[axis]))).join(",");
  }

  const refresh = latest(async () => {
    canvas.setAttribute("aria-busy", "true");
    try {
      const asked = { rowAxis, columnAxis, at: [...at], rows, columns };
      const found = await remote.plane({ key: file.key, ...asked, isLog });
      // Another file is shown by now.
      if (!canvas.isConnected) return;
      [plane, shown] = [found, asked];
      const positive = plane.values.reduce((least, value) => (value > 0 && value < least ? value : least), Number.POSITIVE_INFINITY);
      scale = scaleOf(plane.stats.min, plane.stats.max, isLog, positive);
      [cells, isDamaged] = [imageOf(plane, scale), plane.lost.includes(1)];
      figures.update(plane.stats, plane.histogram, isLog);
      problem("plane", plane.problems);
      markChunks(plane.damaged);
      [row, column] = [Math.min(row, plane.rows - 1), Math.min(column, plane.columns - 1)];
      const [{ start: top, stop: bottom, step: down }, { start: first, stop: last, step: right }] = [asked.rows, asked.columns];
      const steps = down > 1 || right > 1 ? `, every ${down}th row and ${right}th column` : "";
      canvas.setAttribute("aria-label", `Heat map of rows ${top} to ${bottom} and columns ${first} to ${last}${steps}: ${magnitude}from ${summary(plane.stats.min)} to ${summary(plane.stats.max)}. Arrow keys read values, plus and minus zoom, shift and arrow keys move.`);
      onSlice(slice());
      tell();
      paint();
    } catch (error) {
      if (canvas.isConnected) problem("plane", [(error as Error).message]);
    }
    canvas.removeAttribute("aria-busy");
  });

  /** Says the value of the current cell. */
  function tell(): void {
    if (!plane || plane.values.length === 0) return;
    const index = row * plane.columns + column;
    const { rowAxis, columnAxis, at, rows, columns } = shown;
    const place = shape.map((_, axis) => (axis === rowAxis ? rows.start + row * rows.step : axis === columnAxis ? columns.start + column * columns.step : at[axis]));
    readout.textContent = `[${place.join(", ")}] = ${plane.lost[index] ? "cannot be read" : magnitude + textOf(plane.exact?.[index] ?? (plane.values[index] as number), leaves?.[0])}`;
  }

  /** Returns whether a window needs more than the limit. */
  const isLarge = (first: AxisRange, second: AxisRange) => bytesOf(file.description, [{ ...first, axis: rowAxis }, { ...second, axis: columnAxis }]) > MOST_BYTES;

  /** Halves the window until the chunks that it needs are within the limit. */
  function fit(): void {
    const half = ({ start, stop }: AxisRange) => {
      const count = Math.ceil((stop - start) / 2);
      return { start, stop: start + count, step: Math.max(1, Math.ceil(count / MOST)) };
    };
    while (isLarge(rows, columns) && rows.stop - rows.start + columns.stop - columns.start > 2) {
      if (rows.stop - rows.start >= columns.stop - columns.start) rows = half(rows);
      else columns = half(columns);
    }
  }

  /** Zooms around the selected cell, which stays selected. */
  function zoom(factor: number): void {
    const along = (range: AxisRange, axis: number, index: number) => zoomed(range, index, factor, shape[axis] ?? 1, MOST);
    const [[nextRows, nextRow], [nextColumns, nextColumn]] = [along(rows, rowAxis, row), along(columns, columnAxis, column)];
    if (factor > 1 && isLarge(nextRows, nextColumns)) {
      const files = file.description.fileshape ? `, or more than ${MOST_FILES} files` : "";
      say(`a larger window needs more than ${shownBytes(MOST_BYTES)} of uncompressed chunks${files}, which is the limit`);
      return;
    }
    [rows, columns, row, column] = [nextRows, nextColumns, nextRow, nextColumn];
    say(`rows ${rows.start} to ${rows.stop}, columns ${columns.start} to ${columns.stop}`);
    void refresh();
  }

  /** Moves a range by a part of its length. */
  function shifted(range: AxisRange, axis: number, part: number): AxisRange {
    const count = range.stop - range.start;
    const start = Math.round(Math.min((shape[axis] ?? 1) - count, Math.max(0, range.start + part * count)));
    return { ...range, start, stop: start + count };
  }

  function move(down: number, right: number): void {
    [rows, columns] = [shifted(rows, rowAxis, down / 2), shifted(columns, columnAxis, right / 2)];
    void refresh();
  }

  let grabbed: { x: number; y: number; rows: AxisRange; columns: AxisRange } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") return;
    grabbed = { x: event.offsetX, y: event.offsetY, rows, columns };
    canvas.setPointerCapture(event.pointerId);
  });
  for (const kind of ["pointerup", "pointercancel"] as const) canvas.addEventListener(kind, () => (grabbed = undefined));
  /** Moves the window with the pointer that holds it. */
  function drag(to: PointerEvent, box: { width: number; height: number }): void {
    if (!grabbed) return;
    const next = [shifted(grabbed.rows, rowAxis, (grabbed.y - to.offsetY) / box.height), shifted(grabbed.columns, columnAxis, (grabbed.x - to.offsetX) / box.width)] as const;
    if (next[0].start === rows.start && next[1].start === columns.start) return;
    [rows, columns] = next;
    void refresh();
  }
  canvas.addEventListener("pointermove", (event) => {
    if (!plane) return;
    const box = frame(canvas.clientWidth, canvas.clientHeight);
    drag(event, box);
    const clamp = (value: number, length: number) => Math.min(length - 1, Math.max(0, Math.floor(value)));
    column = clamp(((event.offsetX - box.x) / box.width) * plane.columns, plane.columns);
    row = clamp(((event.offsetY - box.y) / box.height) * plane.rows, plane.rows);
    tell();
    requestAnimationFrame(paint);
  });
  const turned = wheelTurns();
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    const turn = turned(event);
    if (turn !== 0) zoom(turn > 0 ? 2 : 0.5);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (isOfBrowser(event)) return;
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (down === 0 && right === 0) return;
    else if (event.shiftKey) move(down as number, right as number);
    else if (plane) {
      row = Math.min(plane.rows - 1, Math.max(0, row + (down as number)));
      column = Math.min(plane.columns - 1, Math.max(0, column + (right as number)));
      tell();
      paint();
    }
    event.preventDefault();
  });

  const button = (label: string, action: () => void) => el("button", { type: "button", class: "plain", onclick: action }, label);
  const log = el("input", { type: "checkbox", id: "log", onchange: () => ((isLog = log.checked), void refresh()) });
  const axisChoice = (label: string, value: number, change: (axis: number) => void) => {
    const select = el("select", { "aria-label": label, onchange: () => change(Number(select.value)) }, ...shape.map((length, axis) => el("option", { value: String(axis), selected: axis === value }, `axis ${axis} (${length})`)));
    return select;
  };
  const rowChoice = axisChoice("Axis of the rows", rowAxis, (axis) => chooseAxes(axis, axis === columnAxis ? rowAxis : columnAxis));
  const columnChoice = axisChoice("Axis of the columns", columnAxis, (axis) => chooseAxes(axis === rowAxis ? columnAxis : rowAxis, axis));
  const sliders = el("div", {});
  function chooseAxes(first: number, second: number): void {
    [rowAxis, columnAxis] = [first, second];
    [rowChoice.value, columnChoice.value] = [String(first), String(second)];
    [rows, columns] = [firstRange(first), firstRange(second)];
    fit();
    showSliders();
    void refresh();
  }
  function showSliders(): void {
    const others = shape.map((_, axis) => axis).filter((axis) => axis !== rowAxis && axis !== columnAxis);
    sliders.replaceChildren(...others.map((axis) => axisSlider(axis, shape[axis] ?? 1, at[axis] ?? 0, (index) => ((at[axis] = index), void refresh()))));
  }
  fit();
  showSliders();
  const controls = el("div", { class: "controls" }, button("Zoom in", () => zoom(0.5)), button("Zoom out", () => zoom(2)), ...(shape.length > 2 ? [rowChoice, columnChoice] : []), el("label", {}, log, " log scale"));
  const hint = el("p", { class: "hint" }, "Click the map for the keys: arrows read values, + and − or the wheel zoom, shift and arrows or the mouse move the window.");
  const legend = el("ul", { class: "legend" }, key(css(NAN), "NaN, or no logarithm"), key(css(LOST), "hatched: cannot be read"));
  place.replaceChildren(controls, sliders, el("div", { class: "plot" }, el("div", {}, canvas, readout, legend, hint), figures.element));
  return refresh();
}

const text = ({ start, stop, step }: AxisRange) => `${start}:${stop}${step > 1 ? `:${step}` : ""}`;

function key(style: string, words: string): HTMLElement {
  const swatch = el("span", { class: "swatch" });
  swatch.style.background = style;
  return el("li", {}, swatch, words);
}
