// Statistics of what is shown, and its histogram.

import type { Leaf } from "../../js/src/index.js";
import { canvasOf, colour, el } from "./dom.js";
import type { Histogram, Stats } from "./protocol.js";
import { labelsOf, magnitudeOf, summaryText } from "./texts.js";

const isEmpty = ({ counts }: Histogram): boolean => counts.every((count) => count === 0);

/** Returns the values at both ends. */
const edgesOf = ({ low, high }: Histogram, isLog: boolean): number[] => (isLog ? [10 ** low, 10 ** high] : [low, high]);

/** Shows statistics and a histogram of values of a dtype. `update` replaces them. */
export function statistics(leaf?: Leaf) {
  const text = (value: number) => summaryText(value, leaf);
  let histogram: Histogram | undefined;
  let isLog = false;
  const list = el("dl", { class: "stats" });
  const { canvas, paint } = canvasOf(120, "img", "Histogram", draw);

  function draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!histogram) return;
    const { counts } = histogram;
    const labels = labelsOf(edgesOf(histogram, isLog), leaf);
    // Long labels are one above the other.
    const bottom = labels.reduce((sum, label) => sum + context.measureText(label).width, 8) > width ? 32 : 16;
    const most = Math.max(1, ...counts);
    const step = width / counts.length;
    context.fillStyle = colour("accent");
    for (const [bin, count] of counts.entries()) {
      const tall = (count / most) * (height - bottom - 4);
      context.fillRect(bin * step, height - bottom - tall, Math.max(1, step - 1), tall);
    }
    context.fillStyle = colour("soft");
    context.textAlign = "left";
    if (isEmpty(histogram)) return context.fillText("no values", 0, height - 3);
    context.fillText(labels[0] ?? "", 0, height - bottom + 13);
    context.textAlign = "right";
    context.fillText(labels[1] ?? "", width, height - 3);
  }

  function update(stats: Stats, next: Histogram, log: boolean): void {
    [histogram, isLog] = [next, log];
    const facts: [string, string][] = [
      ["values", stats.count.toLocaleString("en")],
      ["min", text(stats.min)],
      ["max", text(stats.max)],
      ["mean", text(stats.mean)],
      ["NaN", stats.nan.toLocaleString("en")],
    ];
    if (stats.infinite) facts.push(["infinite", String(stats.infinite)]);
    const magnitudes = ["min", "max", "mean"];
    const nameOf = (name: string) => (magnitudes.includes(name) ? `${name} ${magnitudeOf(leaf)}`.trim() : name);
    list.replaceChildren(...facts.map(([name, value]) => el("div", {}, el("dt", {}, nameOf(name)), el("dd", { "data-stat": name }, value))));
    const edges = `${magnitudeOf(leaf)}from ${edgesOf(next, log).map(text).join(" to ")}`;
    const peak = next.counts.indexOf(Math.max(...next.counts));
    const words = isEmpty(next) ? ": there are none on this scale" : ` ${edges} in ${next.counts.length} bins; most are in bin ${peak + 1}`;
    canvas.setAttribute("aria-label", `Histogram of the shown values${words}`);
    paint();
  }
  return { element: el("div", {}, list, canvas), update };
}
