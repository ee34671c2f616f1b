// Builds `dist` of the package from `src` and from the WebAssembly modules in `generated`.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));

/** What the compiler uses of WebAssembly beyond its first version. */
const FEATURES = ["simd", "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"];

/** Makes a module smaller by Binaryen. */
async function optimized(from, to) {
  const features = FEATURES.map((name) => `--enable-${name}`);
  const script = "node_modules/binaryen/bin/wasm-opt";
  execFileSync(process.execPath, [script, ...features, "-Oz", from, "-o", to], { stdio: "inherit" });
}

await rm("dist", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
const isFast = process.argv.includes("--fast");
for (const name of ["decode", "encode", "open"]) {
  await (isFast ? copyFile : optimized)(`generated/blpk_${name}_bg.wasm`, `dist/${name}.wasm`);
}
await build({
  entryPoints: ["src/index.ts", "src/decode.ts"],
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: ["node:*"],
  legalComments: "none",
});
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { stdio: "inherit" });
