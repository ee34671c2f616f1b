// The views of a file as tabs.

import { byId, el, isOfBrowser } from "./dom.js";
import { problem } from "./problems.js";

/** A view that is made when its tab is chosen. */
export interface View {
  name: string;
  show(place: HTMLElement): void | Promise<void>;
}

/** Shows tabs, and the first view. */
export async function showTabs(views: View[]): Promise<void> {
  const [list, panel] = [byId("tabs"), byId("panel")];
  const tabs = views.map((view, number) =>
    el("button", { type: "button", role: "tab", id: `tab-${number}`, "aria-controls": "panel", onclick: () => void choose(number) }, view.name),
  );
  async function choose(number: number): Promise<void> {
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === number));
      tab.tabIndex = at === number ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${number}`);
    panel.replaceChildren();
    // Those of the view before.
    for (const part of ["plane", "line", "rows"]) problem(part, []);
    await views[number]?.show(panel);
  }
  list.onkeydown = (event) => {
    const now = tabs.findIndex((tab) => tab.tabIndex === 0);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || isOfBrowser(event)) return;
    event.preventDefault();
    const next = (now + step + tabs.length) % tabs.length;
    tabs[next]?.focus();
    void choose(next);
  };
  list.hidden = views.length < 2;
  list.replaceChildren(...tabs);
  await choose(0);
}
