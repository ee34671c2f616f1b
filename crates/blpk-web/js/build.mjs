// Builds the package from `src` and the WebAssembly modules in `generated`, and the page: `build.mjs [PAGE-FOLDER]`.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
const [page] = process.argv.slice(2);

const shared = { bundle: true, format: "esm", target: "es2022", legalComments: "none" };
const tsc = (project) => execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project], { stdio: "inherit" });

/** The module of the page has more functions than that of the package. */
const withInfo = {
  name: "with-info",
  setup: (build) => build.onResolve({ filter: /generated\/blpk_open\.js$/ }, () => ({ path: resolve("generated/blpk_page.js") })),
};

await rm("dist", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
for (const name of ["decode", "encode", "open"]) await copyFile(`generated/blpk_${name}_bg.wasm`, `dist/${name}.wasm`);
const entryPoints = ["src/index.ts", "src/decode.ts"];
await build({ ...shared, entryPoints, outdir: "dist", platform: "neutral", external: ["node:*"] });
tsc("tsconfig.json");

if (page !== undefined) {
  await rm(page, { recursive: true, force: true });
  await mkdir(page, { recursive: true });
  for (const name of ["index.html", "style.css"]) await copyFile(`../page/${name}`, `${page}/${name}`);
  await copyFile("generated/blpk_page_bg.wasm", `${page}/open.wasm`);
  const entryPoints = ["../page/src/page.ts", "../page/src/worker.ts"];
  await build({ ...shared, entryPoints, outdir: page, platform: "browser", external: ["node:*"], minify: true, plugins: [withInfo] });
  tsc("../page/tsconfig.json");
}
