// An array with one axis as a line that zooms by chunk.

import { markChunks } from "./chunkmap.js";
import { latest, remote } from "./client.js";
import { MOST_FILES } from "./cost.js";
import { canvasOf, colour, el, isOfBrowser, say, wheelTurns } from "./dom.js";
import { statistics } from "./histogram.js";
import { problem } from "./problems.js";
import type { Line, OpenedFile } from "./protocol.js";
import { rangeOf } from "./range.js";
import { ticks, valueTicks } from "./ticks.js";
import { labelsOf, magnitudeOf, summaryText, textOf } from "./texts.js";
import { startOf } from "./zoom.js";

/** An array up to this size is shown whole at first, and of a larger one, the first chunks. */
const WHOLE = 8 << 20;
/** Maximum number of items that are read for one picture. */
const MOST = 16 << 20;
const [BOTTOM, TOP] = [34, 8];
/** The least width of the labels of values. */
const LEFT = 40;

/** Shows the view in `place`. `onSlice` is told the slice that is shown. */
export function linePlot(file: OpenedFile, place: HTMLElement, onSlice: (slice: string) => void): Promise<void> {
  const { shape = [], nbytes = 0, itemsize = 1, chunkNbytes, chunkshape, fileshape, leaves } = file.description;
  const length = shape[0] ?? 0;
  const chunk = Math.max(1, Math.min(length, chunkshape?.[0] ?? Math.floor((chunkNbytes ?? 0) / itemsize)));
  // One file less, because the window may begin within a file.
  const most = fileshape ? Math.min(MOST, (MOST_FILES - 1) * Math.max(1, fileshape[0] ?? 1)) : MOST;
  let [start, stop] = [0, Math.min(length, most, nbytes <= WHOLE ? length : chunk)];
  let isLog = false;
  let line: Line | undefined;
  /** The range of the line. `start` and `stop` may be those of a line to come. */
  let shown = { start, stop };
  let current = 0;
  /** The item that zooming keeps selected, also while a point stands for several items. */
  let item: number | undefined;
  /** The width of the labels of values. */
  let left = LEFT;
  const summary = (value: number) => summaryText(value, leaves?.[0]);
  const magnitude = magnitudeOf(leaves?.[0]);
  const figures = statistics(leaves?.[0]);
  const readout = el("p", { class: "readout", role: "status" });
  const { canvas, paint } = canvasOf(360, "application", "Line plot", draw);

  const box = (width: number, height: number) => ({ x: left, y: TOP, width: Math.max(1, width - left - 8), height: Math.max(1, height - BOTTOM - TOP) });

  function draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!line) return;
    const { start, stop } = shown;
    const to = (value: number) => (isLog ? (value > 0 ? Math.log10(value) : Number.NaN) : value);
    const { low, high } = isLog ? line.histogram : { low: line.stats.min, high: line.stats.max };
    const levels = valueTicks(low, high, box(width, height).height / 45);
    const labels = labelsOf(levels.map((tick) => (isLog ? 10 ** tick : tick)), leaves?.[0]);
    left = Math.max(LEFT, ...labels.map((label) => context.measureText(label).width + 12));
    const { x, y, width: across, height: tall } = box(width, height);
    const range = rangeOf(low, high);
    const px = (item: number) => x + ((item - start) / Math.max(1, stop - start)) * across;
    const py = (value: number) => y + tall - range.place(to(value)) * tall;
    context.fillStyle = context.strokeStyle = colour("line");
    // The borders of chunks.
    if ((stop - start) / chunk <= 64) for (let at = Math.ceil(start / chunk) * chunk; at < stop; at += chunk) context.fillRect(px(at), y, 1, tall);
    context.fillStyle = colour("bad");
    context.globalAlpha = 0.35;
    for (const part of line.lost) context.fillRect(px(start + (part.start[0] ?? 0)), y, Math.max(2, px(start + (part.stop[0] ?? 0)) - px(start + (part.start[0] ?? 0))), tall);
    context.globalAlpha = 1;
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    for (const tick of ticks(start, stop, across / 100)) {
      context.fillRect(px(tick), y + tall, 1, 4);
      context.fillText(String(tick), px(tick), y + tall + 17);
    }
    context.textAlign = "right";
    for (const [number, tick] of levels.entries()) {
      const at = y + tall - range.place(tick) * tall;
      context.fillRect(x - 5, at, 4, 1);
      context.fillText(labels[number] ?? "", x - 8, at + 4);
    }
    drawLine(context, px, py);
    context.strokeStyle = colour("text");
    context.strokeRect(px(start + current * line.step) - 0.5, y, 1, tall);
  }

  function drawLine(context: CanvasRenderingContext2D, px: (item: number) => number, py: (value: number) => number): void {
    if (!line) return;
    const { min, max, step } = line;
    const { start } = shown;
    const isGap = (point: number) => Number.isNaN(py(min[point] ?? Number.NaN)) && Number.isNaN(py(max[point] ?? Number.NaN));
    context.strokeStyle = context.fillStyle = colour("accent");
    context.beginPath();
    let isDown = false;
    for (let point = 0; point < min.length; point++) {
      const [low, high] = [py(min[point] as number), py(max[point] as number)];
      const at = px(start + point * step);
      if (Number.isNaN(low) && Number.isNaN(high)) isDown = false;
      else if (step === 1 || Math.abs(low - high) < 1) {
        if (isDown) context.lineTo(at, high);
        else context.moveTo(at, high);
        // No line goes to a point between gaps.
        if (!isDown && isGap(point + 1)) context.fillRect(at - 1, high - 1, 2, 2);
        isDown = true;
      } else {
        if (isDown) context.lineTo(at, high);
        else context.moveTo(at, high);
        context.lineTo(at, Number.isNaN(low) ? high : low);
        isDown = true;
      }
    }
    context.stroke();
    if (min.length <= 60) for (let point = 0; point < min.length; point++) context.fillRect(px(start + point * step) - 2, py(max[point] as number) - 2, 4, 4);
  }

  /** Tells the figures, the problems and the place of a line. */
  function tellRange({ start, stop }: typeof shown, found: Line): void {
    figures.update(found.stats, found.histogram, isLog);
    problem("line", [...new Set(found.lost.map((part) => `items ${start + (part.start[0] ?? 0)} to ${start + (part.stop[0] ?? 0) - 1} cannot be read: ${part.problem}`))]);
    markChunks(found.damaged);
    if (item !== undefined && item >= start && item < stop) current = Math.floor((item - start) / found.step);
    else item = undefined;
    current = Math.min(current, found.min.length - 1);
    canvas.setAttribute("aria-label", `Line plot of items ${start} to ${stop} of ${length}: ${magnitude}from ${summary(found.stats.min)} to ${summary(found.stats.max)}. Arrow keys read values, plus and minus zoom, page keys go to the next chunk.`);
    where.textContent = `items ${start} to ${stop} of ${length}, chunks ${Math.floor(start / chunk)} to ${Math.floor(Math.max(start, stop - 1) / chunk)}`;
    onSlice(`${start}:${stop}`);
  }

  const refresh = latest(async () => {
    canvas.setAttribute("aria-busy", "true");
    try {
      const width = Math.max(64, Math.round(canvas.clientWidth || 600));
      const asked = { start, stop };
      const found = await remote.line({ key: file.key, ...asked, width, isLog });
      // Another file is shown by now.
      if (!canvas.isConnected) return;
      [line, shown] = [found, asked];
      tellRange(asked, found);
      tell();
      paint();
    } catch (error) {
      if (canvas.isConnected) problem("line", [(error as Error).message]);
    }
    canvas.removeAttribute("aria-busy");
  });

  function tell(): void {
    if (!line || line.min.length === 0) return;
    const { start, stop } = shown;
    const [low, high] = [line.min[current] as number, line.max[current] as number];
    const from = start + current * line.step;
    const leaf = leaves?.[0];
    // Integers and times that are too large for a float are rounded, but for the exact values of single items.
    const isRounded = (value: number | bigint) => typeof value === "number" && "iuMm".includes(leaf?.kind ?? "f") && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const text = (value: number | bigint) => `${isRounded(value) ? "≈ " : ""}${textOf(value, leaf)}`;
    const [first, end] = [current * line.step, (current + 1) * line.step];
    const isLost = Number.isNaN(low) && line.lost.some((part) => (part.start[0] ?? 0) < end && first < (part.stop[0] ?? 0));
    const one = () => (isLost ? "cannot be read" : magnitude + text(line?.exact?.[current] ?? high));
    const values = line.step === 1 || low === high || Number.isNaN(low) ? one() : `${magnitude}${text(low)} to ${text(high)}`;
    readout.textContent = line.step === 1 ? `[${from}] = ${values}` : `[${from} to ${Math.min(stop, from + line.step) - 1}] = ${values}`;
  }

  /** Returns how many of `count` items are shown: at least two, and at most the number that is read at once. */
  const shownOf = (count: number) => Math.min(length, most, Math.max(2, Math.round(count)));

  /** Shows a range. */
  function show(from: number, count: number): void {
    const wanted = shownOf(count);
    start = Math.min(length - wanted, Math.max(0, Math.round(from)));
    stop = start + wanted;
    say(`items ${start} to ${stop}`);
    void refresh();
  }

  /** Zooms around the current item. Windows larger than a chunk begin at a chunk. */
  function zoom(factor: number): void {
    const count = shownOf((stop - start) * factor);
    show(startOf(kept(), { start, stop }, count, chunk), count);
  }

  /** Returns the selected item, which stays selected in another window that has it. */
  const kept = () => (item ??= shown.start + current * (line?.step ?? 1));

  /** Shows another chunk. The cursor stays at its place in the window. */
  function turn(by: number): void {
    item = undefined;
    show((Math.floor(start / chunk) + by) * chunk, chunk);
  }

  /** Moves the window by a part of its length. */
  function move(part: number): void {
    item = undefined;
    show(start + part * (stop - start), stop - start);
  }

  /** Selects a point. */
  function select(point: number): void {
    if (!line) return;
    item = undefined;
    current = Math.min(line.min.length - 1, Math.max(0, point));
    tell();
  }

  let grabbed: { x: number; start: number } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") return;
    grabbed = { x: event.offsetX, start };
    canvas.setPointerCapture(event.pointerId);
  });
  for (const kind of ["pointerup", "pointercancel"] as const) canvas.addEventListener(kind, () => (grabbed = undefined));
  /** Moves the window with the pointer that holds it. */
  function drag(to: number, width: number): void {
    if (!grabbed) return;
    const from = Math.round(grabbed.start + ((grabbed.x - to) / width) * (stop - start));
    if (Math.min(length - (stop - start), Math.max(0, from)) !== start) show(from, stop - start);
  }
  canvas.addEventListener("pointermove", (event) => {
    if (!line) return;
    const { x, width } = box(canvas.clientWidth, canvas.clientHeight);
    drag(event.offsetX, width);
    select(Math.floor((((event.offsetX - x) / width) * (shown.stop - shown.start)) / line.step));
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
    const action = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), PageDown: () => turn(1), PageUp: () => turn(-1) }[event.key];
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -length, End: length }[event.key];
    if (action) action();
    else if (event.shiftKey && (step === 1 || step === -1)) move(step / 2);
    else if (step !== undefined) {
      select(current + step);
      paint();
    } else return;
    event.preventDefault();
  });
  const button = (label: string, action: () => void) => el("button", { type: "button", class: "plain", onclick: action }, label);
  const log = el("input", { type: "checkbox", onchange: () => ((isLog = log.checked), void refresh()) });
  const where = el("p", { class: "readout" });
  const controls = el("div", { class: "controls" }, button("Zoom in", () => zoom(0.5)), button("Zoom out", () => zoom(2)), button("Previous chunk", () => turn(-1)), button("Next chunk", () => turn(1)), button(length > most ? `First ${most} items` : "All", () => (kept(), show(0, length))), el("label", {}, log, " log scale"));
  const hint = el("p", { class: "hint" }, "Click the plot for the keys: arrows read values, + and − or the wheel zoom, shift and arrows or the mouse move the window, page keys go to the next chunk. Thin lines are the borders of chunks.");
  place.replaceChildren(controls, where, el("div", { class: "plot" }, el("div", {}, canvas, readout, hint), figures.element));
  return refresh();
}
