// Files and folders that people drop or choose.

import { byId } from "./dom.js";
import type { Place } from "./protocol.js";

/** Calls `open` with what people drop, choose, or write. */
export function watchInputs(open: (place: Place, name: string) => void): void {
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
    if (url) open({ url: new URL(url, document.baseURI).href }, url);
  });
  // For programs that show the page in a frame or drive it: an event with a place.
  window.addEventListener("blpk-open", (event) => open((event as CustomEvent<Place>).detail, "file"));
  watchDrops(open);
}

function watchDrops(open: (place: Place, name: string) => void): void {
  const isOver = (value: boolean) => document.body.classList.toggle("dropping", value);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    isOver(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && isOver(false));
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    isOver(false);
    const [item] = event.dataTransfer?.items ?? [];
    if (item === undefined) return;
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry?.isDirectory) open({ files: await filesBelow(entry as FileSystemDirectoryEntry, "") }, entry.name);
    else if (file) open({ file }, file.name);
  });
}

/** Lists all files of a dropped folder. Their content is not read. */
async function filesBelow(folder: FileSystemDirectoryEntry, path: string): Promise<[string, Blob][]> {
  const reader = folder.createReader();
  const found: [string, Blob][] = [];
  for (;;) {
    // A call returns a part of the entries, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const entry of entries) {
      const name = path ? `${path}/${entry.name}` : entry.name;
      if (entry.isDirectory) found.push(...(await filesBelow(entry as FileSystemDirectoryEntry, name)));
      else found.push([name, await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]);
    }
  }
}
