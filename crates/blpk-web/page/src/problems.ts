// What is damaged, said at the top of the page.

import { byId, el } from "./dom.js";

const problems = new Map<string, string[]>();
/** The problems that are shown. */
let shownText = "";

/** Sets the problems of a part of the page; none removes them. */
export function problem(part: string, found: string[]): void {
  if (found.length > 0) problems.set(part, found);
  else problems.delete(part);
  const all = [...new Set([...problems.values()].flat())];
  // A screen reader would read them again.
  if (all.join("\n") === shownText) return;
  shownText = all.join("\n");
  const box = byId("problems");
  box.hidden = all.length === 0;
  const shown = all.slice(0, 8).map((text) => el("p", {}, text));
  if (all.length > 8) shown.push(el("p", {}, `and ${all.length - 8} more`));
  box.replaceChildren(...shown);
}

/** Removes all problems, for another file. */
export function noProblems(): void {
  problems.clear();
  problem("", []);
}
