// A slider with a field for the number.

import { el } from "./dom.js";

let next = 0;

/** Returns a slider for numbers from 0 to `length - 1`. */
export function slider(name: string, length: number, value: number, change: (index: number) => void): HTMLElement {
  const id = `slider-${next++}`;
  const attributes = { min: "0", max: String(Math.max(0, length - 1)), step: "1", value: String(value) };
  const range = el("input", { type: "range", id, ...attributes });
  const number = el("input", { type: "number", "aria-label": `${name}, as a number`, ...attributes });
  const set = (text: string) => {
    const index = Math.min(length - 1, Math.max(0, Math.round(Number(text)) || 0));
    range.value = number.value = String(index);
    change(index);
  };
  range.addEventListener("input", () => set(range.value));
  number.addEventListener("change", () => set(number.value));
  return el("div", { class: "slider" }, el("label", { for: id }, name), range, number);
}

/** Returns a slider for the index along an axis of `length` items. */
export function axisSlider(axis: number, length: number, value: number, change: (index: number) => void): HTMLElement {
  return slider(`axis ${axis}`, length, value, change);
}
