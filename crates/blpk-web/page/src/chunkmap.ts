// The map of chunks: a square for each, with its ratio as colour, and marks for special and damaged ones.

import type { ChunkFacts, DamagedChunk } from "../../js/src/index.js";
import { remote } from "./client.js";
import { colourAt, css } from "./colours.js";
import { canvasOf, colour, el, say } from "./dom.js";
import { shownBytes } from "./numbers.js";
import type { OpenedFile } from "./protocol.js";

/** Number of chunks whose headers are read at once. */
const PAGE = 512;
const CELL = 18;

type Facts = ChunkFacts | DamagedChunk;

const isDamaged = (facts: Facts): facts is DamagedChunk => "problem" in facts;

/** Returns the ratio of a chunk as a colour: 1 is dark, 100 and more are bright. */
function colourOf(facts: ChunkFacts): string {
  const ratio = facts.cbytes === 0 ? Number.POSITIVE_INFINITY : facts.nbytes / facts.cbytes;
  return css(colourAt(Math.log10(Math.max(1, ratio)) / 2));
}

/** Describes a chunk in words. */
function words(number: number, facts: Facts): string {
  if (isDamaged(facts)) return `Chunk ${number} is damaged: ${facts.problem}`;
  const { nbytes, cbytes, codec, filters, special, isStored } = facts;
  if (special !== null && cbytes === 0) return `Chunk ${number}: ${special}, ${shownBytes(nbytes)}, takes no bytes`;
  const ratio = cbytes > 0 ? `, ratio ${(nbytes / cbytes).toFixed(2)}` : "";
  const how = special ?? (isStored ? "stored" : (codec ?? "another compressor"));
  return `Chunk ${number}: ${how}${filters && filters !== "none" ? ` after ${filters}` : ""}, ${shownBytes(nbytes)} in ${shownBytes(cbytes)}${ratio}`;
}

/** Marks chunks of the map that could not be read. Their numbers are in the problems. */
let markDamaged: (problems: string[]) => void = () => {};

/** Marks the chunks that problems name. */
export function markChunks(problems: string[]): void {
  markDamaged(problems);
}

/** Shows the map of a file in `place`. */
export async function showChunks(file: OpenedFile, place: HTMLElement): Promise<void> {
  const total = file.description.nchunks ?? 0;
  const chunks: Facts[] = [];
  const damaged = new Map<number, string>();
  let current = 0;
  let across = 1;
  const readout = el("p", { class: "readout", role: "status" });
  const summary = el("p", { class: "readout" });
  const { canvas, paint } = canvasOf(CELL, "", draw);
  const more = el("button", { type: "button", class: "plain", onclick: () => void read() }, "Read more chunk headers");
  place.replaceChildren(summary, canvas, legend(), readout, more);

  function draw(context: CanvasRenderingContext2D, width: number): void {
    across = Math.max(1, Math.floor(width / CELL));
    for (const [number, facts] of chunks.entries()) {
      const [x, y] = [(number % across) * CELL, Math.floor(number / across) * CELL];
      context.fillStyle = isDamaged(facts) ? colour("bad") : facts.special !== null ? colour("line") : colourOf(facts);
      context.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
      context.strokeStyle = context.fillStyle = isDamaged(facts) ? colour("page") : colour("text");
      if (isDamaged(facts)) strokes(context, x, y, true);
      else if (facts.special !== null) strokes(context, x, y, false);
      else if (facts.isStored) context.fillRect(x + CELL / 2 - 2, y + CELL / 2 - 2, 4, 4);
      if (number === current) {
        context.strokeStyle = colour("text");
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, CELL - 2, CELL - 2);
        context.lineWidth = 1;
      }
    }
  }

  function select(number: number): void {
    current = Math.min(chunks.length - 1, Math.max(0, number));
    const facts = chunks[current];
    if (facts) readout.textContent = words(current, facts);
    paint();
  }

  async function read(): Promise<void> {
    more.disabled = true;
    chunks.push(...(await remote.chunks(file.key, chunks.length, Math.min(total, chunks.length + PAGE))));
    more.hidden = chunks.length >= total;
    more.disabled = false;
    summarize();
  }

  /** Says how many chunks there are, and how many are damaged. */
  function summarize(): void {
    for (const [number, problem] of damaged) if (chunks[number]) chunks[number] = { problem };
    const broken = chunks.filter(isDamaged).length;
    const whole = chunks.filter((facts): facts is ChunkFacts => !isDamaged(facts));
    const nbytes = whole.reduce((sum, facts) => sum + facts.nbytes, 0);
    const cbytes = whole.reduce((sum, facts) => sum + facts.cbytes, 0);
    const ratio = cbytes > 0 ? `, ratio ${(nbytes / cbytes).toFixed(2)}` : "";
    const text = `${chunks.length} of ${total} chunks: ${shownBytes(nbytes)} in ${shownBytes(cbytes)}${ratio}${broken ? `, ${broken} damaged` : ""}`;
    summary.textContent = text;
    canvas.setAttribute("aria-label", `Map of chunks. ${text}. Arrow keys go from chunk to chunk.`);
    const width = canvas.clientWidth || 400;
    canvas.style.height = `${Math.ceil(chunks.length / Math.max(1, Math.floor(width / CELL))) * CELL}px`;
    select(current);
    if (broken) say(`${broken} of ${total} chunks are damaged`);
  }

  markDamaged = (problems) => {
    for (const problem of problems) {
      const number = Number(/\bchunk (\d+)\b/.exec(problem)?.[1] ?? Number.NaN);
      const facts = chunks[number];
      if (facts !== undefined && !isDamaged(facts)) damaged.set(number, problem);
      else if (facts === undefined && number < total) damaged.set(number, problem);
    }
    summarize();
  };

  canvas.addEventListener("click", (event) => select(Math.floor(event.offsetY / CELL) * across + Math.floor(event.offsetX / CELL)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across, Home: -chunks.length, End: chunks.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select(current + step);
  });
  await read();
}

/** Draws a cross, or one stroke. */
function strokes(context: CanvasRenderingContext2D, x: number, y: number, isCross: boolean): void {
  context.beginPath();
  context.moveTo(x + 4, y + CELL - 4);
  context.lineTo(x + CELL - 4, y + 4);
  if (isCross) {
    context.moveTo(x + 4, y + 4);
    context.lineTo(x + CELL - 4, y + CELL - 4);
  }
  context.stroke();
}

function legend(): HTMLElement {
  const item = (style: string, text: string) => {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = style;
    return el("li", {}, swatch, text);
  };
  const ratios = [1, 10, 100].map((ratio) => item(css(colourAt(Math.log10(ratio) / 2)), `ratio ${ratio}${ratio === 100 ? " and more" : ""}`));
  const marks = [item("var(--line)", "one stroke: a repeated value"), item("var(--bad)", "cross: damaged"), el("li", {}, "small square: stored unchanged")];
  return el("ul", { class: "legend" }, ...ratios, ...marks);
}
