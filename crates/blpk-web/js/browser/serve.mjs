// A static server with range requests, as any static host has them, and Chromium.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves a folder, and files in memory at `/data/`. */
export async function serve(folder, data = new Map()) {
  const log = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    log.push([path, request.headers.range]);
    let bytes = path.startsWith("/data/") ? data.get(path.slice(6)) : undefined;
    if (bytes === undefined && !path.includes("..") && !path.startsWith("/data/")) {
      bytes = await readFile(join(folder, path === "/" ? "index.html" : path)).catch(() => undefined);
    }
    if (bytes === undefined) return response.writeHead(404).end();
    const head = { "content-type": TYPES[extname(path === "/" ? "index.html" : path)] ?? "application/octet-stream" };
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    if (start === undefined) return response.writeHead(200, head).end(bytes);
    if (Number(start) >= bytes.length) return response.writeHead(416).end();
    const part = bytes.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}`;
    response.writeHead(206, { ...head, "content-range": range }).end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    log,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts Chromium with a new profile. `close` ends it and removes the profile. */
export async function launch(executablePath) {
  const profile = mkdtempSync(join(tmpdir(), "blpk-chromium-"));
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
