// Files and folders that people drop or choose.

import { byId, say } from "./dom.js";
import { problem } from "./problems.js";
import type { Place } from "./protocol.js";

type Open = (place: Place, name: string) => void;

/** Number of files that were opened or dropped. */
let inputs = 0;

/** Calls `show` with what people drop, choose, or write. */
export function watchInputs(show: Open): void {
  const open: Open = (place, name) => {
    inputs++;
    show(place, name);
  };
  const file = byId<HTMLInputElement>("file");
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    if (chosen) open({ file: chosen }, chosen.name);
    file.value = "";
  });
  const folder = byId<HTMLInputElement>("folder-files");
  folder.addEventListener("change", () => {
    const files = [...(folder.files ?? [])];
    const root = files[0]?.webkitRelativePath.split("/")[0] ?? "folder";
    if (files.length > 0) open({ files: files.map((each) => [each.webkitRelativePath.split("/").slice(1).join("/"), each]) }, root);
    folder.value = "";
  });
  byId("folder").addEventListener("click", async () => {
    const { showDirectoryPicker } = window as { showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle> };
    if (showDirectoryPicker === undefined) return folder.click();
    try {
      const directory = await showDirectoryPicker();
      open({ directory }, directory.name);
    } catch (error) {
      if ((error as Error).name !== "AbortError") folder.click();
    }
  });
  byId("url-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const url = byId<HTMLInputElement>("url").value.trim();
    if (url) open({ url: addressOf(url) }, url);
  });
  // For programs that show the page in a frame or drive it: an event with a place.
  window.addEventListener("blpk-open", (event) => {
    const { detail } = event as CustomEvent<Place | null>;
    if (detail) open(detail, "file");
  });
  watchDrops(open);
}

/** Returns a typed URL as an absolute one. One that is invalid stays as it is: opening it is the error. */
export function addressOf(url: string): string {
  return URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI).href : url;
}

/** Opens the files that `list` finds, unless something else is opened meanwhile. */
async function openListed(open: Open, name: string, list: () => Promise<[string, Blob][]>): Promise<void> {
  const input = ++inputs;
  say(`listing ${name} …`);
  try {
    const files = await list();
    if (input === inputs) open({ files }, name);
  } catch (error) {
    if (input !== inputs) return;
    problem("open", [`${name}: ${(error as Error).message}`]);
    say(`${name} cannot be listed`);
  }
}

function watchDrops(open: Open): void {
  const isOver = (value: boolean) => document.body.classList.toggle("dropping", value);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    isOver(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && isOver(false));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    isOver(false);
    // Entries and files exist only until the first `await`.
    const items = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === "file");
    const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
    const [file, ...others] = items.map((item) => item.getAsFile());
    const [entry] = entries;
    if (others.length > 0) void openListed(open, `${items.length} files`, () => filesOf(entries, ""));
    else if (entry?.isDirectory) void openListed(open, entry.name, async () => filesOf(await entriesOf(entry as FileSystemDirectoryEntry), ""));
    else if (file) open({ file }, file.name);
  });
}

/** Lists the entries of a dropped folder. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // A call returns a part of the entries, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    found.push(...entries);
  }
}

/** Lists all files of entries and of folders in them, by their paths. Their content is not read. */
async function filesOf(entries: FileSystemEntry[], folder: string, found: [string, Blob][] = []): Promise<[string, Blob][]> {
  for (const entry of entries) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) await filesOf(await entriesOf(entry as FileSystemDirectoryEntry), `${path}/`, found);
    else found.push([path, await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]);
  }
  return found;
}
