// Items that cannot be read: their chunks, and their cells in a map.

import type { Description, Lost } from "../../js/src/index.js";
import type { AxisRange, DamagedChunks, Plane } from "./protocol.js";

/** Maximum number of chunks that are named. */
const MOST = 4096;

/**
 * Returns the chunks that hold lost parts of a selection, which has a range for each axis. The numbers of chunks are those of
 * the boxes in C order. Where chunks are no boxes, the problem names the chunk. Parts that a server or a disk did not send are
 * left out.
 */
export function chunksOf(lost: Lost[], selection: AxisRange[], { shape = [], chunkshape }: Description): DamagedChunks {
  const found: DamagedChunks = [];
  for (const { start, stop, problem, kind } of lost) {
    // Nothing is known about chunks that a server did not send.
    if (kind === "io") continue;
    const named = /\bchunk (\d+)\b/.exec(problem)?.[1];
    if (!chunkshape || named !== undefined) {
      if (named !== undefined) found.push([Number(named), problem]);
      continue;
    }
    const boxes = selection.map((range, axis): [number, number] => {
      const [first, last] = [range.start + (start[axis] ?? 0) * range.step, range.start + ((stop[axis] ?? 1) - 1) * range.step];
      return [Math.floor(first / (chunkshape[axis] ?? 1)), Math.floor(last / (chunkshape[axis] ?? 1))];
    });
    let numbers = [0];
    boxes.forEach(([first, last], axis) => {
      const across = Math.ceil((shape[axis] ?? 1) / (chunkshape[axis] ?? 1));
      const places = Array.from({ length: Math.min(MOST, last - first + 1) }, (_, at) => first + at);
      numbers = numbers.flatMap((number) => places.map((place) => number * across + place)).slice(0, MOST);
    });
    for (const number of numbers) found.push([number, problem]);
  }
  return found.slice(0, MOST);
}

/** Returns the cells that cannot be read as runs: a row, the first column and the end. A path of a rectangle for each cell is slow. */
export function lostRuns({ lost, rows, columns }: Pick<Plane, "lost" | "rows" | "columns">): [row: number, first: number, end: number][] {
  const runs: [number, number, number][] = [];
  for (let row = 0; row < rows; row++) {
    for (let first = 0; first < columns; first++) {
      if (!lost[row * columns + first]) continue;
      let end = first + 1;
      while (end < columns && lost[row * columns + end]) end++;
      runs.push([row, first, end]);
      first = end;
    }
  }
  return runs;
}
