// A plane of an array as a heat map with axes, sliders for the other axes, zoom, and values on hover.

import { markChunks } from "./chunkmap.js";
import { latest, remote } from "./client.js";
import { colourAt, css, LOST, NAN, scaleOf, type Scale } from "./colours.js";
import { canvasOf, colour, el, say } from "./dom.js";
import { statistics } from "./histogram.js";
import { shown } from "./numbers.js";
import { problem } from "./problems.js";
import type { AxisRange, OpenedFile, Plane } from "./protocol.js";
import { axisSlider } from "./slider.js";
import { ticks } from "./ticks.js";

/** Maximum number of values along an axis that are shown at a time. */
const MOST = 512;
/** A plane up to this size is shown whole at first; of a larger one, a window without steps. */
const WHOLE = 32 << 20;
const LEFT = 64;
const BOTTOM = 36;

/** Shows the view in `place`. `onSlice` is told the slice that is shown. */
export function heatMap(file: OpenedFile, place: HTMLElement, onSlice: (slice: string) => void): Promise<void> {
  const { shape = [], nbytes = 0 } = file.description;
  const at = shape.map((length) => Math.floor(length / 2));
  let [rowAxis, columnAxis] = [shape.length - 2, shape.length - 1];
  let [rows, columns] = [firstRange(rowAxis), firstRange(columnAxis)];
  let isLog = false;
  let plane: Plane | undefined;
  let scale: Scale = scaleOf(0, 1, false, 1);
  let [row, column] = [0, 0];
  const figures = statistics();
  const readout = el("p", { class: "readout", role: "status" });
  const { canvas, paint } = canvasOf(420, "Heat map", draw);

  function firstRange(axis: number): AxisRange {
    const length = shape[axis] ?? 1;
    const step = nbytes <= WHOLE ? Math.max(1, Math.ceil(length / MOST)) : 1;
    return { start: 0, stop: Math.min(length, step * MOST), step };
  }

  /** The place of the cells on the canvas. */
  function frame(width: number, height: number) {
    return { x: LEFT, y: 6, width: Math.max(1, width - LEFT - 84), height: Math.max(1, height - BOTTOM - 6) };
  }

  function draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!plane) return;
    const box = frame(width, height);
    const image = new ImageData(Math.max(1, plane.columns), Math.max(1, plane.rows));
    plane.values.forEach((value, index) => {
      const position = scale.place(value);
      const [red, green, blue] = plane?.lost[index] ? LOST : Number.isNaN(position) ? NAN : colourAt(position);
      image.data.set([red, green, blue, 255], index * 4);
    });
    const cells = new OffscreenCanvas(image.width, image.height);
    cells.getContext("2d")?.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(cells, box.x, box.y, box.width, box.height);
    if (plane.lost.includes(1)) hatch(context, box);
    drawAxes(context, box);
    drawScale(context, box);
    const [cellWidth, cellHeight] = [box.width / plane.columns, box.height / plane.rows];
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    context.strokeRect(box.x + column * cellWidth, box.y + row * cellHeight, Math.max(3, cellWidth), Math.max(3, cellHeight));
    context.lineWidth = 1;
  }

  /** Strokes over cells that cannot be read, for people who do not see the colour. */
  function hatch(context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }): void {
    if (!plane) return;
    const [cellWidth, cellHeight] = [box.width / plane.columns, box.height / plane.rows];
    context.save();
    context.beginPath();
    plane.lost.forEach((lost, index) => {
      if (lost && plane) context.rect(box.x + (index % plane.columns) * cellWidth, box.y + Math.floor(index / plane.columns) * cellHeight, cellWidth + 1, cellHeight + 1);
    });
    context.clip();
    context.strokeStyle = "#fff";
    context.beginPath();
    for (let x = -box.height; x < box.width; x += 10) {
      context.moveTo(box.x + x, box.y + box.height);
      context.lineTo(box.x + x + box.height, box.y);
    }
    context.stroke();
    context.restore();
  }

  function drawAxes(context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }): void {
    context.fillStyle = context.strokeStyle = colour("soft");
    context.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
    context.textAlign = "center";
    for (const tick of ticks(columns.start, columns.stop, Math.max(2, box.width / 90))) {
      const x = box.x + ((tick - columns.start) / (columns.stop - columns.start)) * box.width;
      context.fillRect(x, box.y + box.height, 1, 4);
      context.fillText(String(tick), x, box.y + box.height + 16);
    }
    context.fillText(`axis ${columnAxis}`, box.x + box.width / 2, box.y + box.height + 31);
    context.textAlign = "right";
    for (const tick of ticks(rows.start, rows.stop, Math.max(2, box.height / 50))) {
      const y = box.y + ((tick - rows.start) / (rows.stop - rows.start)) * box.height;
      context.fillRect(box.x - 5, y, 4, 1);
      context.fillText(String(tick), box.x - 8, y + 4);
    }
    context.save();
    context.translate(12, box.y + box.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(`axis ${rowAxis}`, 0, 0);
    context.restore();
  }

  function drawScale(context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }): void {
    const x = box.x + box.width + 10;
    for (let y = 0; y < box.height; y++) {
      context.fillStyle = css(colourAt(1 - y / box.height));
      context.fillRect(x, box.y + y, 12, 1);
    }
    context.fillStyle = colour("soft");
    context.textAlign = "left";
    for (const part of [0, 0.5, 1]) context.fillText(short(scale.value(1 - part)), x + 16, box.y + 9 + part * (box.height - 10));
  }

  const slice = () => shape.map((_, axis) => (axis === rowAxis ? text(rows) : axis === columnAxis ? text(columns) : String(at[axis]))).join(",");

  const refresh = latest(async () => {
    canvas.setAttribute("aria-busy", "true");
    try {
      plane = await remote.plane({ key: file.key, rowAxis, columnAxis, at, rows, columns, isLog });
      const positive = plane.values.reduce((least, value) => (value > 0 && value < least ? value : least), Number.POSITIVE_INFINITY);
      scale = scaleOf(plane.stats.min, plane.stats.max, isLog, positive);
      figures.update(plane.stats, plane.histogram, isLog);
      problem("plane", plane.problems);
      markChunks(plane.problems);
      [row, column] = [Math.min(row, plane.rows - 1), Math.min(column, plane.columns - 1)];
      const steps = rows.step > 1 || columns.step > 1 ? `, every ${rows.step}th row and ${columns.step}th column` : "";
      canvas.setAttribute("aria-label", `Heat map of rows ${rows.start} to ${rows.stop} and columns ${columns.start} to ${columns.stop}${steps}: from ${shown(plane.stats.min)} to ${shown(plane.stats.max)}. Arrow keys read values, plus and minus zoom, shift and arrow keys move.`);
      onSlice(slice());
      tell();
      paint();
    } catch (error) {
      problem("plane", [(error as Error).message]);
    }
    canvas.removeAttribute("aria-busy");
  });

  /** Says the value of the current cell. */
  function tell(): void {
    if (!plane || plane.values.length === 0) return;
    const index = row * plane.columns + column;
    const place = shape.map((_, axis) => (axis === rowAxis ? rows.start + row * rows.step : axis === columnAxis ? columns.start + column * columns.step : at[axis]));
    readout.textContent = `[${place.join(", ")}] = ${plane.lost[index] ? "cannot be read" : shown(plane.values[index] as number)}`;
  }

  function zoomed(range: AxisRange, axis: number, factor: number, middle: number): AxisRange {
    const length = shape[axis] ?? 1;
    const wanted = Math.min(length, Math.max(1, Math.round((range.stop - range.start) * factor)));
    const start = Math.min(length - wanted, Math.max(0, Math.round(middle - wanted / 2)));
    return { start, stop: start + wanted, step: Math.max(1, Math.ceil(wanted / MOST)) };
  }

  function zoom(factor: number): void {
    const [r, c] = [rows.start + row * rows.step, columns.start + column * columns.step];
    [rows, columns] = [zoomed(rows, rowAxis, factor, r), zoomed(columns, columnAxis, factor, c)];
    say(`rows ${rows.start} to ${rows.stop}, columns ${columns.start} to ${columns.stop}`);
    void refresh();
  }

  function move(down: number, right: number): void {
    const moved = (range: AxisRange, axis: number, by: number) => zoomed(range, axis, 1, (range.start + range.stop) / 2 + (by * (range.stop - range.start)) / 2);
    [rows, columns] = [moved(rows, rowAxis, down), moved(columns, columnAxis, right)];
    void refresh();
  }

  canvas.addEventListener("pointermove", (event) => {
    if (!plane) return;
    const box = frame(canvas.clientWidth, canvas.clientHeight);
    const clamp = (value: number, length: number) => Math.min(length - 1, Math.max(0, Math.floor(value)));
    column = clamp(((event.offsetX - box.x) / box.width) * plane.columns, plane.columns);
    row = clamp(((event.offsetY - box.y) / box.height) * plane.rows, plane.rows);
    tell();
    requestAnimationFrame(paint);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 2 : 0.5);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
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
    showSliders();
    void refresh();
  }
  function showSliders(): void {
    const others = shape.map((_, axis) => axis).filter((axis) => axis !== rowAxis && axis !== columnAxis);
    sliders.replaceChildren(...others.map((axis) => axisSlider(axis, shape[axis] ?? 1, at[axis] ?? 0, (index) => ((at[axis] = index), void refresh()))));
  }
  showSliders();
  const controls = el("div", { class: "controls" }, button("Zoom in", () => zoom(0.5)), button("Zoom out", () => zoom(2)), ...(shape.length > 2 ? [rowChoice, columnChoice] : []), el("label", {}, log, " log scale"));
  const legend = el("ul", { class: "legend" }, key(css(NAN), "NaN, or no logarithm"), key(css(LOST), "hatched: cannot be read"));
  place.replaceChildren(controls, sliders, el("div", { class: "plot" }, el("div", {}, canvas, readout, legend), figures.element));
  return refresh();
}

const text = ({ start, stop, step }: AxisRange) => `${start}:${stop}${step > 1 ? `:${step}` : ""}`;

const short = (value: number) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "");

function key(style: string, words: string): HTMLElement {
  const swatch = el("span", { class: "swatch" });
  swatch.style.background = style;
  return el("li", {}, swatch, words);
}
