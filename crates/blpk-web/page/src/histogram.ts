// Statistics of what is shown, and its histogram.

import { canvasOf, colour, el } from "./dom.js";
import type { Histogram, Stats } from "./protocol.js";

const isEmpty = ({ counts }: Histogram): boolean => counts.every((count) => count === 0);

/** Shows statistics and a histogram, with values as `text` returns them. `update` replaces them. */
export function statistics(text: (value: number) => string) {
  let histogram: Histogram | undefined;
  let isLog = false;
  const list = el("dl", { class: "stats" });
  const { canvas, paint } = canvasOf(120, "img", "Histogram", draw);

  function draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!histogram) return;
    const { counts, low, high } = histogram;
    const most = Math.max(1, ...counts);
    const step = width / counts.length;
    context.fillStyle = colour("accent");
    for (const [bin, count] of counts.entries()) {
      const tall = (count / most) * (height - 20);
      context.fillRect(bin * step, height - 16 - tall, Math.max(1, step - 1), tall);
    }
    context.fillStyle = colour("soft");
    const label = (value: number) => text(isLog ? 10 ** value : value);
    context.textAlign = "left";
    if (isEmpty(histogram)) return context.fillText("no values", 0, height - 3);
    context.fillText(label(low), 0, height - 3);
    context.textAlign = "right";
    context.fillText(label(high), width, height - 3);
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
    list.replaceChildren(...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { "data-stat": name }, value))));
    const edges = `from ${text(log ? 10 ** next.low : next.low)} to ${text(log ? 10 ** next.high : next.high)}`;
    const peak = next.counts.indexOf(Math.max(...next.counts));
    const words = isEmpty(next) ? ": there are none on this scale" : ` ${edges} in ${next.counts.length} bins; most are in bin ${peak + 1}`;
    canvas.setAttribute("aria-label", `Histogram of the shown values${words}`);
    paint();
  }
  return { element: el("div", {}, list, canvas), update };
}
