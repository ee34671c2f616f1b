// The page: opens a file and shows its facts, its chunks and its values.

import { hideChunks, leaveChunks, showChunks } from "./chunkmap.js";
import { abandon, remote, watchTraffic, type WorkerError } from "./client.js";
import { byId, el, say } from "./dom.js";
import { abandonDownload, hideDownload, offerDownload } from "./download.js";
import { hexView, tableGrid, valuesGrid } from "./grid.js";
import { heatMap } from "./heatmap.js";
import { addressOf, watchInputs } from "./inputs.js";
import { linePlot } from "./line.js";
import { isPlottable, shownBytes } from "./numbers.js";
import { noProblems, problem } from "./problems.js";
import type { OpenedFile, Place } from "./protocol.js";
import { showTabs, type View } from "./tabs.js";

/** How often a member was chosen, so that the answer for an earlier one is left out. */
let choices = 0;
const TITLE = document.title;

watchTraffic(({ read, requests, stored, isPartial, refused }) => {
  const element = byId("traffic");
  const where = isPartial ? "in the files that were opened" : "stored";
  element.textContent = stored ? `${shownBytes(read)} read of ${shownBytes(stored)} ${where}, in ${requests} ${requests === 1 ? "read" : "reads"}` : "";
  Object.assign(element.dataset, { read, stored, requests });
  const files = refused === 1 ? "1 file" : `${refused} files`;
  problem("refused", refused ? [`The server refused ${files}, as some servers do for files that do not exist: their items are shown with the fill value.`] : []);
});

/** Opens a file and shows it. One that cannot be opened is shown as bytes, with the problem. */
async function open(place: Place, name: string): Promise<void> {
  abandon();
  abandonDownload();
  noProblems();
  showAddress(place);
  document.body.dataset.state = "opening";
  document.title = TITLE;
  choices++;
  say(`opening ${name} …`);
  byId("opened").hidden = true;
  showEmpty("");
  try {
    let file: OpenedFile;
    try {
      file = await remote.open(place, false);
    } catch (error) {
      const { kind, message } = error as WorkerError;
      problem("open", [`${name}: ${message}`]);
      if (kind === "broken" || "directory" in place || "files" in place) throw error;
      file = await remote.open(place, true);
    }
    byId("opened").hidden = false;
    byId("title").textContent = `${name}: ${file.description.format}`;
    document.title = `${name} – blpk`;
    await showFile(file);
    say(`${name} is open: ${file.description.format}`);
    document.body.dataset.state = "open";
  } catch (error) {
    problem("open", [`${name}: ${(error as Error).message}`]);
    say(`${name} cannot be opened`);
    document.body.dataset.state = "failed";
  }
}

/** Puts a URL that is open into the address of the page, so that the address can be passed on. */
function showAddress(place: Place): void {
  const address = new URL(location.href);
  if ("url" in place) address.searchParams.set("url", place.url);
  else address.searchParams.delete("url");
  if (address.href !== location.href) history.replaceState(null, "", address);
}

/** Shows the facts of a file, and its values or those of its first member. */
async function showFile(file: OpenedFile): Promise<void> {
  const { kind, members = [] } = file.description;
  byId("facts").textContent = file.info;
  const choice = byId<HTMLSelectElement>("member");
  byId("member-choice").hidden = members.length === 0;
  byId("member-label").textContent = kind === "table" ? "Columns" : "Array";
  if (kind === "array") return showArray(file);
  choice.replaceChildren(...(kind === "table" ? [el("option", { value: "" }, "all columns as a table")] : []));
  choice.onchange = () => void showMember(file, choice.value);
  offerMembers(choice, members);
  if (kind === "group" && members.length === 0) return showEmpty("The group has no arrays.");
  await showMember(file, kind === "table" ? "" : (members[0] ?? ""));
}

/** Number of members that are added to the list at a time, so that the page answers meanwhile. */
const MEMBERS = 1000;

function offerMembers(choice: HTMLSelectElement, members: string[], from = 0): void {
  choice.append(...members.slice(from, from + MEMBERS).map((name) => el("option", { value: name }, name)));
  const last = choice.lastChild;
  if (from + MEMBERS < members.length) setTimeout(() => last === choice.lastChild && offerMembers(choice, members, from + MEMBERS));
}

/** Shows nothing but a text: no part of what was shown before, least of all its download. */
function showEmpty(text: string): void {
  for (const part of ["map", "tabs"]) byId(part).hidden = true;
  hideDownload();
  hideChunks(byId("map-body"));
  byId("panel").replaceChildren(text);
}

async function showMember(file: OpenedFile, name: string): Promise<void> {
  const choice = ++choices;
  // The problems are those of the member that was shown before.
  noProblems();
  leaveChunks();
  try {
    if (name !== "") {
      const member = await remote.member(file.key, name);
      if (choice !== choices) return;
      // The facts of a group with many arrays are those of the first ones.
      if (/\n… and \d+ more arrays/.test(file.info)) byId("facts").textContent = `${file.info}\n\n${name}:\n${member.info}`;
      await showArray(member);
      return;
    }
    byId("map").hidden = true;
    hideChunks(byId("map-body"));
    offerDownload(file, [["csv", "CSV"]], "Rows, as in NumPy", `0:${Math.min(file.description.rows ?? 0, 1000)}`);
    await showTabs([{ name: "Table", show: (place) => tableGrid(file, place) }]);
  } catch (error) {
    if (choice !== choices) return;
    // A plot of the member before may have failed meanwhile.
    noProblems();
    problem("member", [`${name}: ${(error as Error).message}`]);
    showEmpty("");
  }
}

/** Shows an array: its chunks, and the views that fit its dtype and shape. */
async function showArray(file: OpenedFile): Promise<void> {
  const { description } = file;
  const shape = description.shape ?? [];
  if (file.info && byId("member-choice").hidden) byId("facts").textContent = file.info;
  const views: View[] = [];
  if (isPlottable(description.leaves) && (description.isTyped ?? false)) {
    const tab = () => document.querySelector('#tabs [aria-selected="true"]')?.textContent;
    // A plot that was still read when another view was chosen has no say.
    const onSlice = (slice: string) => {
      if (tab() === "Line plot" || tab() === "Heat map") byId<HTMLInputElement>("slice").value = slice;
    };
    if (shape.length === 1) views.push({ name: "Line plot", show: (place) => linePlot(file, place, onSlice) });
    if (shape.length > 1 && !shape.includes(0)) views.push({ name: "Heat map", show: (place) => heatMap(file, place, onSlice) });
  }
  const all = () => (byId<HTMLInputElement>("slice").value = "...");
  if (description.isTyped) views.push({ name: "Values", show: (place) => (all(), valuesGrid(file, place)) });
  views.push({ name: "Bytes", show: (place) => hexView(file, place) });
  offerDownload(file, [["npy", ".npy"], ["csv", "CSV"]], "Slice, as in NumPy", "...");
  const hasChunks = description.isCompressed === true && (description.nchunks ?? 0) > 0;
  byId("map").hidden = !hasChunks;
  hideChunks(byId("map-body"));
  // The worker answers in this order: values first, then the headers of many chunks.
  const view = showTabs(views);
  if (hasChunks) void showChunks(file, byId("map-body"));
  await view;
}

watchInputs((place, name) => void open(place, name));
const url = new URLSearchParams(location.search).get("url");
if (url) {
  byId<HTMLInputElement>("url").value = url;
  void open({ url: addressOf(url) }, url);
} else {
  document.body.dataset.state = "ready";
}
