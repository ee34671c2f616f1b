// Small helpers to make elements.

type Child = Node | string;

/** Makes an element with properties and children. Attributes start with `aria-`, `data-` or are `role`, `for`, `class`. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (/^(aria-|data-)|^(role|for|class|scope|list)$/.test(key)) element.setAttribute(key, String(value));
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else Object.assign(element, { [key]: value });
  }
  element.append(...children);
  return element;
}

/** Returns the element of the page with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** Returns the value of a colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Tells people, also those with a screen reader, what happens. */
export function say(text: string): void {
  byId("status").textContent = text;
}

/** Returns whether a key is a command to the browser, such as zooming the page or going back. */
export function isOfBrowser({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** How canvases are painted. */
const paints = new WeakMap<HTMLCanvasElement, () => void>();
globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const canvas of document.querySelectorAll("canvas")) paints.get(canvas)?.();
});

/** After a wheel has turned so far, in pixels, a view changes. A mouse turns by more at once, a trackpad by less. */
const NOTCH = 50;

/** Returns a function that tells by the events of a wheel whether to zoom out (1), in (-1), or not yet (0). */
export function wheelTurns(): (event: WheelEvent) => number {
  let turned = 0;
  return ({ deltaY, deltaMode }) => {
    if (turned * deltaY < 0) turned = 0;
    turned += deltaMode === WheelEvent.DOM_DELTA_PIXEL ? deltaY : NOTCH * Math.sign(deltaY);
    if (Math.abs(turned) < NOTCH) return 0;
    const turn = Math.sign(turned);
    turned = 0;
    return turn;
  };
}

/**
 * A canvas that fills the width of its parent, sharp on all screens. `draw` is called when its size or the colours change.
 * A screen reader passes keys on only to an `application`.
 */
export function canvasOf(height: number, role: "img" | "application", label: string, draw: (context: CanvasRenderingContext2D, width: number, height: number) => void) {
  const canvas = el("canvas", { role, "aria-label": label, tabIndex: role === "application" ? 0 : undefined });
  canvas.style.width = "100%";
  canvas.style.height = `${height}px`;
  const paint = () => {
    const width = canvas.clientWidth;
    if (width === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, canvas.clientHeight);
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    draw(context, width, canvas.clientHeight);
  };
  new ResizeObserver(paint).observe(canvas);
  paints.set(canvas, paint);
  return { canvas, paint };
}
