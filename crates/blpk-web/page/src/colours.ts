// The colours of values: a scale that is readable without colour vision, from dark blue to yellow.

import { rangeOf, type Range } from "./range.js";

const STOPS: [number, number, number][] = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [253, 231, 37],
];

/** The colours of values without a place on the scale. */
export const NAN: [number, number, number] = [150, 150, 150];
export const LOST: [number, number, number] = [200, 30, 40];

/** Returns the colour at a place from 0 to 1. */
export function colourAt(place: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, place)) * (STOPS.length - 1);
  const index = Math.min(STOPS.length - 2, Math.floor(at));
  const [low, high] = [STOPS[index] as [number, number, number], STOPS[index + 1] as [number, number, number]];
  const mix = at - index;
  return [0, 1, 2].map((part) => Math.round((low[part] as number) * (1 - mix) + (high[part] as number) * mix)) as [number, number, number];
}

/** Returns a colour as CSS writes it. */
export const css = ([red, green, blue]: [number, number, number]): string => `rgb(${red}, ${green}, ${blue})`;

/** Returns a scale from `min` to `max`; with `isLog`, of their logarithms: only positive values have a place, others have NaN. */
export function scaleOf(min: number, max: number, isLog: boolean, smallestPositive: number): Range {
  const to = (value: number) => (isLog ? (value > 0 ? Math.log10(value) : Number.NaN) : value);
  const range = rangeOf(to(isLog ? smallestPositive : min), to(max));
  if (!isLog) return range;
  return { place: (value) => range.place(to(value)), value: (place) => 10 ** range.value(place) };
}
