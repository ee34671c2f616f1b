// The package with the module of the page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Imports the package with the module of the page, which has the facts. */
export async function loadWithFacts() {
  const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
  const page = { name: "page", setup: (build) => build.onResolve({ filter: /blpk_open\.js$/ }, () => ({ path: path("generated/blpk_page.js") })) };
  const options = { entryPoints: [path("src/index.ts")], bundle: true, format: "esm", platform: "neutral", write: false, plugins: [page] };
  const { outputFiles } = await build({ ...options, define: { "import.meta.url": JSON.stringify(import.meta.url) } });
  const blpk = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  await blpk.loadOpen(readFileSync(path("generated/blpk_page_bg.wasm")));
  return blpk;
}
