// What a heat map draws: cells, axes, the scale of colours.

import type { Leaf } from "../../js/src/index.js";
import { colourAt, css, LOST, NAN } from "./colours.js";
import { colour } from "./dom.js";
import { lostRuns } from "./lost.js";
import type { AxisRange, Plane } from "./protocol.js";
import type { Range } from "./range.js";
import { labelsOf } from "./texts.js";
import { ticks } from "./ticks.js";

/** The place of the cells on the canvas. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns a colour as a pixel of an image. All browsers with WebAssembly run on little-endian machines. */
const pixel = ([red, green, blue]: [number, number, number]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** The scale's colours as pixels, so that none is computed for each value. */
const LAST = 1023;
const PIXELS = Uint32Array.from({ length: LAST + 1 }, (_, at) => pixel(colourAt(at / LAST)));
const [NAN_PIXEL, LOST_PIXEL] = [pixel(NAN), pixel(LOST)];

/** Returns an image with a pixel for each value. */
export function imageOf(plane: Plane, scale: Range): OffscreenCanvas {
  const image = new ImageData(Math.max(1, plane.columns), Math.max(1, plane.rows));
  const pixels = new Uint32Array(image.data.buffer);
  const { values, lost } = plane;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    // Without finite values there is no scale.
    const at = value === Number.POSITIVE_INFINITY ? LAST : Math.round(scale.place(value) * LAST);
    if (lost[index]) pixels[index] = LOST_PIXEL;
    else pixels[index] = Number.isNaN(at) ? NAN_PIXEL : (PIXELS[Math.min(LAST, Math.max(0, at))] as number);
  }
  const cells = new OffscreenCanvas(image.width, image.height);
  cells.getContext("2d")?.putImageData(image, 0, 0);
  return cells;
}

/** Strokes over cells that cannot be read, for people who do not see the colour. */
export function hatch(context: CanvasRenderingContext2D, box: Box, plane: Plane): void {
  const [cellWidth, cellHeight] = [box.width / plane.columns, box.height / plane.rows];
  context.save();
  context.beginPath();
  for (const [row, first, end] of lostRuns(plane)) {
    context.rect(box.x + first * cellWidth, box.y + row * cellHeight, (end - first) * cellWidth + 1, cellHeight + 1);
  }
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

/** Draws an axis with its numbers and its name, on the left or below. */
export function drawAxis(context: CanvasRenderingContext2D, box: Box, { start, stop, axis }: AxisRange & { axis: number }, isLeft: boolean): void {
  context.fillStyle = context.strokeStyle = colour("soft");
  context.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  context.textAlign = isLeft ? "right" : "center";
  const length = isLeft ? box.height : box.width;
  for (const tick of ticks(start, stop, Math.max(2, length / (isLeft ? 50 : 90)))) {
    const at = ((tick - start) / (stop - start)) * length;
    if (isLeft) {
      context.fillRect(box.x - 5, box.y + at, 4, 1);
      context.fillText(String(tick), box.x - 8, box.y + at + 4);
    } else {
      context.fillRect(box.x + at, box.y + box.height, 1, 4);
      context.fillText(String(tick), box.x + at, box.y + box.height + 16);
    }
  }
  context.textAlign = "center";
  context.save();
  context.translate(isLeft ? 12 : box.x + box.width / 2, isLeft ? box.y + box.height / 2 : box.y + box.height + 31);
  if (isLeft) context.rotate(-Math.PI / 2);
  context.fillText(`axis ${axis}`, 0, 0);
  context.restore();
}

/** The places of the labels along the scale, from the top. */
const LABELS = [0, 0.5, 1];
/** The width of the scale without its labels. */
const SCALE = 32;

/** Returns the labels of the scale, and the width that it needs with them. */
export function scaleLabels(context: CanvasRenderingContext2D, scale: Range, leaf?: Leaf): { labels: string[]; width: number } {
  const labels = labelsOf(LABELS.map((part) => Number(scale.value(1 - part).toPrecision(leaf?.kind === "M" ? 17 : 4))), leaf);
  return { labels, width: SCALE + Math.max(...labels.map((label) => context.measureText(label).width)) };
}

/** Draws the colours with the labels of their values. */
export function drawScale(context: CanvasRenderingContext2D, box: Box, labels: string[]): void {
  const x = box.x + box.width + 10;
  for (let y = 0; y < box.height; y++) {
    context.fillStyle = css(colourAt(1 - y / box.height));
    context.fillRect(x, box.y + y, 12, 1);
  }
  context.fillStyle = colour("soft");
  context.textAlign = "left";
  LABELS.forEach((part, at) => context.fillText(labels[at] ?? "", x + 16, box.y + 9 + part * (box.height - 10)));
}
