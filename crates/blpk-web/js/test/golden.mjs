// The golden data of the repository: files that the reference libraries wrote, with what they hold.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const folder = fileURLToPath(new URL("../../../../testdata/", import.meta.url));
const read = new Map();

/** Returns the files of an archive by their paths. */
export function archive(name) {
  if (!read.has(name)) read.set(name, new Map(untar(gunzipSync(readFileSync(`${folder}${name}.tar.gz`)))));
  return read.get(name);
}

/** Returns the description of an archive. */
export function manifest(name) {
  const files = archive(name);
  return JSON.parse(new TextDecoder().decode(files.get("manifest.json") ?? files.get("malformed.json")));
}

/** Returns the files below a path, by their paths below it. */
export function below(files, path) {
  const prefix = `${path}/`;
  return [...files].filter(([name]) => name.startsWith(prefix)).map(([name, bytes]) => [name.slice(prefix.length), bytes]);
}

export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Yields the regular files of a tar archive. */
function* untar(tar) {
  const text = (at, length) => tar.subarray(at, at + length).toString("utf8").replace(/\0.*/s, "");
  let long;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const [type, prefix] = [String.fromCharCode(tar[at + 156]), text(at + 345, 155)];
    const body = tar.subarray(at + 512, at + 512 + size);
    const name = long ?? (prefix ? `${prefix}/${text(at, 100)}` : text(at, 100));
    long = undefined;
    if (type === "L") long = body.toString("utf8").replace(/\0.*/s, "");
    if (type === "x") long = /\d+ path=([^\n]*)\n/.exec(body.toString("utf8"))?.[1];
    if (type === "0" || type === "\0") yield [name.replace(/^\.\//, ""), new Uint8Array(body)];
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** A frame of `malformed`: a file, a directory, or a base with operations on it. */
export function malformedFrame(item) {
  const files = archive("frames");
  if (item.path) return files.get(item.path) ?? below(files, item.path);
  let bytes = files.get(item.base);
  for (const [what, ...values] of item.ops) {
    if (what === "trunc") bytes = bytes.slice(0, values[0]);
    if (what === "set") {
      bytes = bytes.slice();
      bytes.set(Buffer.from(values[1], "hex"), values[0]);
    }
    if (what === "append") bytes = new Uint8Array([...bytes, ...Buffer.from(values[0], "hex")]);
  }
  return bytes;
}
