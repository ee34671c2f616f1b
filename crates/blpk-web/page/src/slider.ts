// A slider for the index along an axis, with a field for the number.

import { el } from "./dom.js";

/** Returns a slider for an axis of `length` items. */
export function axisSlider(axis: number, length: number, value: number, change: (index: number) => void): HTMLElement {
  const attributes = { min: "0", max: String(Math.max(0, length - 1)), step: "1", value: String(value) };
  const range = el("input", { type: "range", id: `axis-${axis}`, ...attributes });
  const number = el("input", { type: "number", "aria-label": `index along axis ${axis}`, ...attributes });
  const set = (text: string) => {
    const index = Math.min(length - 1, Math.max(0, Math.round(Number(text)) || 0));
    range.value = number.value = String(index);
    change(index);
  };
  range.addEventListener("input", () => set(range.value));
  number.addEventListener("change", () => set(number.value));
  return el("div", { class: "slider" }, el("label", { for: `axis-${axis}` }, `axis ${axis}`), range, number);
}
