// Round numbers along an axis.

/** Maximum number of ticks of an axis. */
const MOST = 1000;

/** Returns the round step that gives about `count` ticks between two values. */
function stepOf(min: number, max: number, count: number, least: number): number {
  // Divided first: the difference of large values may be infinite.
  const rough = Math.max(least, max / Math.max(1, count) - min / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
}

/**
 * Returns the multiples of `step` from `min` to `max`. Their number is known before the loop: a step may be too small to change
 * a large value, and such ticks are left out.
 */
function multiples(step: number, min: number, max: number): number[] {
  const first = Math.ceil(min / step) * step;
  const count = Math.min(MOST, Math.floor((max - first) / step) + 1);
  const found: number[] = [];
  for (let at = 0; at < count; at++) {
    const tick = first + at * step;
    if (tick !== found.at(-1) && tick >= min && tick <= max) found.push(tick);
  }
  return found;
}

/** Returns about `count` round integers from `start` up to `stop`. */
export function ticks(start: number, stop: number, count: number): number[] {
  return multiples(stepOf(start, stop, count, 1), start, stop - 1);
}

/** Returns about `count` round numbers between two values. */
export function valueTicks(min: number, max: number, count: number): number[] {
  if (!(max > min)) return [min];
  const step = stepOf(min, max, count, Number.MIN_VALUE);
  // Without the last digits, 0.3 is not 0.30000000000000004. Ticks that are closer need all digits.
  const rounded = (tick: number) => (Math.abs(tick) < step * 1e9 ? Number(tick.toPrecision(12)) : tick);
  const found = multiples(step, min, max).map(rounded);
  return found.length > 0 ? found : [min];
}
