// Values of a range as places from 0 to 1.

/** Maps values to places, and back. */
export interface Range {
  place(value: number): number;
  value(place: number): number;
}

/** Returns the range from `low` to `high`. */
export function rangeOf(low: number, high: number): Range {
  // The difference of large values may be infinite. That of their halves is not.
  const factor = Number.isFinite(high - low) ? 1 : 0.5;
  const [first, width] = [low * factor, high * factor - low * factor || 1];
  return { place: (value) => (value * factor - first) / width, value: (place) => (first + place * width) / factor };
}
