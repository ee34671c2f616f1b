// Round numbers along an axis.

/** Returns about `count` round integers from `start` up to `stop`. */
export function ticks(start: number, stop: number, count: number): number[] {
  const rough = Math.max(1, (stop - start) / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const found: number[] = [];
  for (let tick = Math.ceil(start / step) * step; tick < stop; tick += step) found.push(Math.round(tick));
  return found;
}

/** Returns about `count` round numbers between two values. */
export function valueTicks(min: number, max: number, count: number): number[] {
  if (!(max > min)) return [min];
  const rough = (max - min) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const found: number[] = [];
  for (let tick = Math.ceil(min / step) * step; tick <= max; tick += step) found.push(Number(tick.toPrecision(12)));
  return found;
}
