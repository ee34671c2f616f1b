// The download of a slice: its form, how much of it is made, and the button that cancels it.

import { remote, watchMade, type WorkerError } from "./client.js";
import { byId, el, say } from "./dom.js";
import { shownBytes } from "./numbers.js";
import { problem } from "./problems.js";
import type { OpenedFile } from "./protocol.js";

/** The file whose items are offered. */
let offered: OpenedFile | undefined;
/** The number of the download that is being made. None: 0. */
let running = 0;
let downloads = 0;
let isCancelled = false;

/** Offers to download a slice of a file. */
export function offerDownload(file: OpenedFile, formats: [value: string, name: string][], label: string, slice: string): void {
  offered = file;
  byId("save").hidden = false;
  byId("slice-label").textContent = label;
  byId<HTMLInputElement>("slice").value = slice;
  byId("format").replaceChildren(...formats.map(([value, name]) => el("option", { value }, name)));
}

/** Offers nothing. */
export function hideDownload(): void {
  offered = undefined;
  byId("save").hidden = true;
}

/** Forgets a download that the worker does not make any more. */
export function abandonDownload(): void {
  show(0);
}

/** Shows whether a download is being made. */
function show(number: number): void {
  [running, isCancelled] = [number, false];
  const button = byId("save-button");
  button.setAttribute("aria-disabled", String(number > 0));
  byId("made").textContent = "";
  // The button that goes passes the focus on.
  if (number === 0 && document.activeElement === byId("cancel")) (byId("save").hidden ? byId("title") : button).focus();
  byId("making").hidden = number === 0;
}

async function download(file: OpenedFile): Promise<void> {
  const number = ++downloads;
  show(number);
  say("saving …");
  const format = byId<HTMLSelectElement>("format").value as "npy" | "csv";
  try {
    const bytes = await remote.save(file.key, byId<HTMLInputElement>("slice").value.trim() || "...", format);
    if (number !== running) return;
    if (isCancelled) throw Object.assign(new Error(), { kind: "cancelled" });
    hand(bytes, `slice.${format}`);
    problem("save", []);
    say(`saved ${shownBytes(bytes.length)}`);
  } catch (error) {
    if (number !== running) return;
    const { kind, message } = error as WorkerError;
    problem("save", kind === "cancelled" ? [] : [`not saved: ${message}`]);
    say(kind === "cancelled" ? "the download was cancelled" : "not saved");
  }
  show(0);
}

/** Hands a file to the browser, which saves it. */
function hand(bytes: Uint8Array, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart]));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

watchMade((made) => {
  if (running > 0) byId("made").textContent = `${shownBytes(made)} made`;
});
byId("save-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (offered !== undefined && running === 0) void download(offered);
});
byId("cancel").addEventListener("click", () => {
  isCancelled = true;
  say("cancelling …");
  // If the worker has failed, so has the download.
  remote.cancel().catch(() => {});
});
