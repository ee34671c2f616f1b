// Packs the package, puts it into the folder of a user's program, checks the types of the program, bundles it, and runs it.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blpk-pack-"));
const run = (program, args, cwd) => execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
try {
  const [{ filename, files }] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], here));
  const names = files.map(({ path }) => path);
  for (const needed of ["dist/index.js", "dist/index.d.ts", "dist/decode.wasm", "dist/encode.wasm", "dist/open.wasm", "README.md"]) {
    if (!names.includes(needed)) throw new Error(`the package lacks ${needed}: ${names.join(" ")}`);
  }
  if (names.some((name) => !name.startsWith("dist/") && !["README.md", "package.json", "LICENSE"].includes(name))) {
    throw new Error(`the package has other files: ${names.join(" ")}`);
  }
  mkdirSync(join(folder, "node_modules/blpk"), { recursive: true });
  run("tar", ["xzf", filename, "-C", "node_modules/blpk", "--strip-components=1"], folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  copyFileSync(join(here, "pack/program.ts"), join(folder, "program.ts"));
  const options = { target: "es2022", module: "nodenext", strict: true, skipLibCheck: false };
  const typeRoots = [join(here, "node_modules/@types")];
  for (const platform of [{ types: ["node"], typeRoots, lib: ["es2022"] }, { types: [], lib: ["es2023", "dom"] }]) {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...options, ...platform }, files: ["program.ts"] }));
    run(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"], folder);
  }
  await build({ absWorkingDir: folder, entryPoints: ["program.js"], bundle: true, format: "esm", platform: "browser", write: false });
  const output = run(process.execPath, ["program.js"], folder);
  if (output.trim() !== "2 3 float64") throw new Error(`the program printed ${output}`);
  console.log(`${filename}: ${names.length} files`);
  console.log("5 passed, 0 failed");
} finally {
  rmSync(folder, { recursive: true });
}
