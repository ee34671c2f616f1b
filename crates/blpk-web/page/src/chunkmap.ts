// The map of chunks: a square for each, with its ratio as colour, and marks for special and damaged ones.

import type { ChunkFacts, DamagedChunk } from "../../js/src/index.js";
import { remote } from "./client.js";
import { colourAt, css, LOST } from "./colours.js";
import { canvasOf, colour, el, isOfBrowser, say } from "./dom.js";
import { shownBytes } from "./numbers.js";
import { problem } from "./problems.js";
import type { DamagedChunks, OpenedFile } from "./protocol.js";

/** Number of chunks whose headers are read, and how many are in one call: other calls come between. */
const PAGE = 512;
const PIECE = 32;
const CELL = 20;

const CODECS: Record<string, string> = { blosclz: "B", lz4: "L", lz4hc: "H", snappy: "S", zlib: "G", zstd: "Z" };
const SPECIAL: Record<string, [mark: string, words: string]> = {
  zeros: ["0", "all zeros"],
  nan: ["N", "all NaN"],
  uninit: ["U", "not stored"],
  value: ["=", "a repeated value"],
};

type Facts = ChunkFacts | DamagedChunk;

const isDamaged = (facts: Facts): facts is DamagedChunk => "problem" in facts;

/** Returns whether the header of a chunk was not read because a server or a disk failed. */
const isUnread = (facts: Facts) => isDamaged(facts) && facts.kind === "io";

/** After so many milliseconds, such a header is read again. */
const RETRY = 2000;

type Colour = [number, number, number];

/** Returns the ratio of a chunk as a colour: 1 is dark, 100 and more are bright. */
function backgroundOf(facts: Facts): Colour {
  if (isUnread(facts)) return SPECIAL_COLOUR;
  if (isDamaged(facts)) return LOST;
  if (facts.special !== null || facts.cbytes === 0) return SPECIAL_COLOUR;
  return colourAt(Math.log10(Math.max(1, facts.nbytes / facts.cbytes)) / 2);
}

/** The colour of chunks that repeat a value, and of those that were not read. It is not on the scale. */
const SPECIAL_COLOUR: Colour = [200, 205, 212];

const isDark = ([red, green, blue]: Colour) => red * 0.3 + green * 0.6 + blue * 0.1 < 130;

/** The mark of a chunk in the map: a letter for its codec or its repeated value. */
function markOf(facts: Facts): [mark: string, words: string] {
  if (isUnread(facts)) return ["…", "not read"];
  if (isDamaged(facts)) return ["×", "damaged"];
  if (facts.special !== null) return SPECIAL[facts.special] ?? ["=", facts.special];
  if (facts.isStored) return ["·", "stored"];
  const codec = facts.codec ?? "another compressor";
  return [CODECS[codec] ?? "?", codec];
}

/** Describes a chunk in words. */
function words(number: number, facts: Facts): string {
  if (isDamaged(facts)) return `Chunk ${number} ${isUnread(facts) ? "was not read" : "is damaged"}: ${facts.problem}`;
  const { nbytes, cbytes, filters, special } = facts;
  if (special !== null && cbytes === 0) return `Chunk ${number}: ${markOf(facts)[1]}, ${shownBytes(nbytes)}, takes no bytes`;
  const ratio = cbytes > 0 ? `, ratio ${(nbytes / cbytes).toFixed(2)}` : "";
  const how = markOf(facts)[1];
  return `Chunk ${number}: ${how}${filters && filters !== "none" ? ` after ${filters}` : ""}, ${shownBytes(nbytes)} in ${shownBytes(cbytes)}${ratio}`;
}

/** Marks chunks of the map that could not be read. */
let markDamaged: (found: DamagedChunks) => void = () => {};

/** Marks chunks that cannot be read. */
export function markChunks(found: DamagedChunks): void {
  if (found.length > 0) markDamaged(found);
}

/** The number of the map that is shown. Answers for another one are left out. */
let shownMap = 0;

/** Ends the reading of headers, and says nothing more of the map: another file is to be shown. */
export function leaveChunks(): void {
  shownMap++;
  markDamaged = () => {};
  problem("chunks", []);
}

/** Removes the map. */
export function hideChunks(place: HTMLElement): void {
  leaveChunks();
  place.replaceChildren();
}

/** Shows the map of a file in `place`. */
export async function showChunks(file: OpenedFile, place: HTMLElement): Promise<void> {
  const number = ++shownMap;
  const isShown = () => number === shownMap;
  const total = file.description.nchunks ?? 0;
  const chunks: Facts[] = [];
  const damaged = new Map<number, string>();
  /** When headers were read again. */
  const retried = new Map<number, number>();
  let current = 0;
  let across = 1;
  let isReading = false;
  /** The number of damaged chunks that was said. */
  let told = 0;
  const readout = el("p", { class: "readout", role: "status" });
  const summary = el("p", { class: "readout" });
  const { canvas, paint } = canvasOf(CELL, "application", "Map of chunks", draw);
  const more = el("button", { type: "button", class: "plain", onclick: () => void readMore() }, "Read more chunk headers");
  const legend = el("ul", { class: "legend" });
  place.replaceChildren(summary, canvas, readout, legend, more);

  function draw(context: CanvasRenderingContext2D, width: number): void {
    across = Math.max(1, Math.floor(width / CELL));
    // Painted again if the height changes.
    canvas.style.height = heightOf(width);
    [context.textAlign, context.textBaseline] = ["center", "middle"];
    for (const [number, facts] of chunks.entries()) {
      const [x, y] = [(number % across) * CELL, Math.floor(number / across) * CELL];
      const background = backgroundOf(facts);
      context.fillStyle = css(background);
      context.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
      context.fillStyle = isDark(background) ? "#fff" : "#000";
      context.fillText(markOf(facts)[0], x + CELL / 2, y + CELL / 2 + 1);
      if (number === current) {
        context.strokeStyle = colour("text");
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, CELL - 2, CELL - 2);
        context.lineWidth = 1;
      }
    }
  }

  const heightOf = (width: number) => `${Math.ceil(chunks.length / Math.max(1, Math.floor(width / CELL))) * CELL}px`;

  function select(number: number): void {
    current = Math.min(chunks.length - 1, Math.max(0, number));
    const facts = chunks[current];
    if (facts) readout.textContent = words(current, facts);
    paint();
    if (facts && isUnread(facts)) void readAgain(current);
  }

  /** Reads a header that was not read. */
  async function readAgain(number: number): Promise<void> {
    if (Date.now() - (retried.get(number) ?? 0) < RETRY) return;
    retried.set(number, Date.now());
    const [facts] = await remote.chunks(file.key, number, number + 1).catch(() => []);
    if (!isShown() || facts === undefined) return;
    chunks[number] = facts;
    summarize();
  }

  /** Reads the headers of more chunks, until another map is shown. */
  async function read(): Promise<void> {
    const end = Math.min(total, chunks.length + PAGE);
    while (chunks.length < end && isShown()) {
      chunks.push(...(await remote.chunks(file.key, chunks.length, Math.min(end, chunks.length + PIECE))));
    }
  }

  async function readMore(): Promise<void> {
    if (isReading) return;
    setReading(true);
    const problems: string[] = [];
    try {
      await read();
    } catch (error) {
      problems.push((error as Error).message);
    }
    setReading(false);
    if (!isShown()) return;
    problem("chunks", problems);
    const isFocused = document.activeElement === more;
    more.hidden = chunks.length >= total;
    if (more.hidden && isFocused) canvas.focus();
    if (chunks.length > 0) summarize();
  }

  function setReading(value: boolean): void {
    isReading = value;
    // A disabled button would lose the focus.
    more.setAttribute("aria-disabled", String(value));
    if (value) canvas.setAttribute("aria-busy", "true");
    else canvas.removeAttribute("aria-busy");
  }

  /** Says how many chunks there are, and how many are damaged. */
  function summarize(): void {
    for (const [number, problem] of damaged) if (chunks[number]) chunks[number] = { problem, kind: "damaged" };
    const unread = chunks.filter(isUnread).length;
    const broken = chunks.filter(isDamaged).length - unread;
    const whole = chunks.filter((facts): facts is ChunkFacts => !isDamaged(facts));
    const nbytes = whole.reduce((sum, facts) => sum + facts.nbytes, 0);
    const cbytes = whole.reduce((sum, facts) => sum + facts.cbytes, 0);
    const ratio = cbytes > 0 ? `, ratio ${(nbytes / cbytes).toFixed(2)}` : "";
    const text = `${chunks.length} of ${total} chunks: ${shownBytes(nbytes)} in ${shownBytes(cbytes)}${ratio}${broken ? `, ${broken} damaged` : ""}${unread ? `, ${unread} not read` : ""}`;
    summary.textContent = text;
    canvas.setAttribute("aria-label", `Map of chunks. ${text}. Arrow keys go from chunk to chunk.`);
    legend.replaceChildren(...legendOf(chunks));
    canvas.style.height = heightOf(canvas.clientWidth || 400);
    select(current);
    if (broken > told) say(`${broken} of ${total} chunks are damaged`);
    told = broken;
  }

  markDamaged = (found) => {
    for (const [number, problem] of found) {
      const facts = chunks[number];
      if (facts !== undefined && (!isDamaged(facts) || isUnread(facts))) damaged.set(number, problem);
      else if (facts === undefined && number < total) damaged.set(number, problem);
    }
    // Chunks whose headers are not read yet are marked once they are.
    if (chunks.length > 0) summarize();
  };

  for (const kind of ["click", "pointermove"] as const) {
    canvas.addEventListener(kind, ({ offsetX, offsetY }) => select(Math.floor(offsetY / CELL) * across + Math.min(across - 1, Math.floor(offsetX / CELL))));
  }
  canvas.addEventListener("keydown", (event) => {
    if (isOfBrowser(event)) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across, Home: -chunks.length, End: chunks.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select(current + step);
  });
  await readMore();
}

/** The colours of ratios, and the marks of the map with their numbers of chunks. */
function legendOf(chunks: Facts[]): HTMLElement[] {
  const counts = new Map<string, { mark: string; count: number }>();
  for (const facts of chunks) {
    const [mark, name] = markOf(facts);
    const entry = counts.get(name) ?? { mark, count: 0 };
    entry.count++;
    counts.set(name, entry);
  }
  const ratios = [1, 10, 100].map((ratio) => {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = css(colourAt(Math.log10(ratio) / 2));
    return el("li", {}, swatch, `ratio ${ratio}${ratio === 100 ? " and more" : ""}`);
  });
  const marks = [...counts].map(([name, { mark, count }]) => el("li", {}, el("b", { class: "mark" }, mark), `${name}: ${count}`));
  return [...ratios, ...marks];
}
