// Only the bytes that are needed are read: blobs, HTTP ranges, servers that fail.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { compress, open } from "blpk";

/** A Zarr array of 4 x 2 MiB of float64, one chunk each, as paths and bytes. The last chunk is not stored. */
async function zarr() {
  const meta = { zarr_format: 2, shape: [1 << 20], chunks: [1 << 18], dtype: "<f8", fill_value: 1, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "lz4", clevel: 1, shuffle: 0, blocksize: 0 };
  const files = new Map([[".zarray", new TextEncoder().encode(JSON.stringify(meta))]]);
  for (let chunk = 0; chunk < 3; chunk++) {
    const items = Float64Array.from({ length: 1 << 18 }, (_, at) => Math.sin(at * (chunk + 1)));
    files.set(String(chunk), await compress(items, { filters: "none", clevel: 0 }));
  }
  return files;
}

/** A `.npy` file of a megabyte of float64. */
function npy() {
  const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (131072,), }".padEnd(117) + "\n";
  const head = new TextEncoder().encode(`\x93NUMPY\x01\x00v\x00${header}`);
  const bytes = new Uint8Array(128 + (1 << 20));
  bytes.set([0x93, ...head.subarray(2, 128 + 1)]);
  bytes.set(new Uint8Array(Float64Array.from({ length: 131072 }, (_, at) => at).buffer), 128);
  return bytes;
}

/** Serves files and records requests. `how` changes the answers. */
async function serve(files, how = {}) {
  const log = [];
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname.slice(1));
    const file = files.get(name);
    log.push([name, request.headers.range]);
    if (how.forbidden) return response.writeHead(403, "not for you").end();
    if (file === undefined) return response.writeHead(404).end();
    if (how.fail?.(log.length)) return response.writeHead(503, "try later").end();
    if (how.lost?.(log.length)) return response.writeHead(200, { "content-length": file.length }).write(file.subarray(0, 100), () => response.destroy());
    let [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    if (how.start?.(log.length)) start = how.start(log.length);
    if (start === undefined || how.noRanges) return response.writeHead(200, { "content-length": file.length }).end(file);
    const part = file.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + part.length - 1}/${file.length}`;
    const tag = how.tag?.(log.length);
    const modified = how.modified?.(log.length);
    response.writeHead(206, { "content-range": range, ...(tag ? { etag: tag } : {}), ...(modified ? { "last-modified": modified } : {}) }).end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, log, close };
}

test("a slice of a blob reads its bytes only", async () => {
  const reads = [];
  const file = npy();
  const source = {
    size: file.length,
    read: async (offset, length) => {
      reads.push([offset, length]);
      return file.slice(offset, offset + length);
    },
  };
  const opened = await open(source);
  assert.deepEqual([...(await opened.read("100000:100003")).data], [100000, 100001, 100002]);
  assert.equal(opened.traffic.stored, file.length);
  assert.equal(opened.traffic.read, reads.reduce((sum, [, length]) => sum + length, 0));
  assert.ok(opened.traffic.read <= 8192, `${opened.traffic.read} bytes`);
  const before = reads.length;
  await opened.read("100000:100003");
  assert.equal(reads.length, before, "bytes that were read are kept");
});

test("bytes of finished calls are forgotten while another call waits", async () => {
  const items = 512 << 20;
  const head = npy().slice(0, 128);
  head.set(new TextEncoder().encode(`{'descr': '|u1', 'fortran_order': False, 'shape': (${items},), }`.padEnd(117)), 10);
  let [reads, answer] = [0, undefined];
  const answered = new Promise((resolve) => (answer = resolve));
  const read = async (offset, length) => {
    reads++;
    if (offset > items - (1 << 20)) await answered;
    const bytes = new Uint8Array(length).fill(7);
    if (offset === 0) bytes.set(head);
    return bytes;
  };
  const opened = await open({ size: items + 128, read });
  const waiting = opened.read("-1:");
  const part = (number) => opened.read([[number << 23, (number + 1) << 23]]);
  for (let number = 0; number < 40; number++) await part(number);
  const before = reads;
  await part(39);
  assert.equal(reads, before, "the last bytes are kept");
  await part(0);
  assert.ok(reads > before, "the first are not");
  answer();
  assert.deepEqual([...(await waiting).data], [7]);
  opened.close();
});

test("all chunks of a large read are fetched in few rounds", async () => {
  const meta = { zarr_format: 2, shape: [40 << 20], chunks: [1 << 20], dtype: "<i4", fill_value: 0, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 };
  const chunk = await compress(Int32Array.from({ length: 1 << 20 }, (_, at) => at));
  const text = new TextEncoder().encode(JSON.stringify(meta));
  let [running, rounds] = [0, 0];
  // Each round decodes from the start, so their number is what a read costs.
  const source = (bytes) => ({
    size: bytes.length,
    read: async (offset, length) => {
      if (running++ === 0) rounds++;
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return bytes.slice(offset, offset + length);
    },
  });
  const files = async (path) => (path === ".zarray" ? source(text) : /^\d+$/.test(path) ? source(chunk) : undefined);
  for (const call of [(opened) => opened.read(), (opened) => opened.save(undefined, "npy")]) {
    const opened = await open({ list: async () => undefined, open: files });
    rounds = 0;
    await call(opened);
    assert.ok(rounds <= 3, `${rounds} rounds`);
    opened.close();
  }
});

test("a slice of a file at a URL is fetched by ranges", async () => {
  const server = await serve(new Map([["a.npy", npy()]]));
  try {
    const opened = await open(`${server.url}a.npy`);
    assert.deepEqual([...(await opened.read("100000:100003")).data], [100000, 100001, 100002]);
    assert.equal(server.log.length, 2);
    assert.equal(opened.traffic.read, (64 << 10) + (16 << 10));
    await Promise.all([opened.read("50000"), opened.read("50001"), opened.read("120000")]);
    assert.equal(server.log.length, 4, "calls at the same time share requests");
  } finally {
    server.close();
  }
});

test("of a Zarr array at a URL, only the chunks of the slice are fetched", async () => {
  const files = await zarr();
  const server = await serve(new Map([...files].map(([name, bytes]) => [`data/x y/${name}`, bytes])));
  try {
    const opened = await open(`${server.url}data/x%20y`);
    assert.deepEqual([...(await opened.read([[(1 << 19) - 1, (1 << 19) + 1]])).data], [
      Math.sin(((1 << 18) - 1) * 2),
      Math.sin(0),
    ]);
    const chunks = new Set(server.log.map(([name]) => name.split("/").pop()).filter((name) => /^\d$/.test(name)));
    assert.deepEqual([...chunks].sort(), ["1", "2"]);
    assert.deepEqual([...(await opened.read("-2:")).data], [1, 1], "a chunk that is not stored");
    const requests = server.log.length;
    const { data } = await opened.read();
    assert.equal(data.length, 1 << 20);
    assert.ok(server.log.length - requests <= 3, `${server.log.length - requests} requests for the rest`);
  } finally {
    server.close();
  }
});

test("of chunk files at a URL, a map fetches little more than the headers", async () => {
  const files = await zarr();
  const server = await serve(new Map([...files].map(([name, bytes]) => [`data/${name}`, bytes])));
  try {
    const opened = await open(`${server.url}data`);
    const { read } = opened.traffic;
    const facts = await opened.chunks();
    assert.deepEqual(facts.map(({ cbytes }) => cbytes), [0, 1, 2, 3].map((chunk) => files.get(String(chunk))?.length ?? 0));
    assert.equal(opened.traffic.read - read, 3 * 4096);
    const requests = server.log.length;
    assert.equal((await opened.read([[(1 << 18) - 1, 1 << 18]])).data[0], Math.sin((1 << 18) - 1));
    assert.equal(server.log.length - requests, 1, "the rest of a chunk is one request");
  } finally {
    server.close();
  }
});

test("servers without ranges, with errors and with changing files", async () => {
  const files = new Map([["a.npy", npy()]]);
  const whole = await serve(files, { noRanges: true });
  const failing = await serve(files, { fail: (number) => number === 2 });
  const forbidden = await serve(files, { forbidden: true });
  const changing = await serve(files, { tag: (number) => `"${number}"` });
  const modified = await serve(files, { modified: (number) => new Date(1e12 + 1000 * number).toUTCString() });
  const longer = new Map(files);
  const growing = await serve(longer);
  try {
    assert.deepEqual([...(await (await open(`${whole.url}a.npy`)).read("131071")).data], [131071]);
    assert.equal(whole.log.length, 1);
    const opened = await open(`${failing.url}a.npy`);
    await assert.rejects(opened.read("131071"), /503 try later/);
    assert.deepEqual([...(await opened.read("131071")).data], [131071], "a failure is tried again by the next call");
    for (const { url } of [changing, modified]) await assert.rejects((await open(`${url}a.npy`)).read("131071"), /changed/);
    const grown = await open(`${growing.url}a.npy`);
    longer.set("a.npy", Buffer.concat([npy(), new Uint8Array(8)]));
    await assert.rejects(grown.read("131071"), /changed/);
    await assert.rejects(open(`${whole.url}b.npy`), { kind: "absent", message: /^there is no file at this URL; as a directory/ });
    await assert.rejects(open(`${forbidden.url}a.npy`), { kind: "absent", message: /^the server answered 403 not for you for this URL/ });
    await assert.rejects(open("b.npy"), { kind: "invalid", message: "not a URL: b.npy" });
  } finally {
    for (const server of [whole, failing, forbidden, changing, modified, growing]) server.close();
  }
});

test("a server that answers with other bytes than those asked for", async () => {
  const files = new Map([["a.npy", npy()]]);
  const [later, first] = [await serve(files, { start: (number) => number === 2 && 16384 }), await serve(files, { start: () => 5 })];
  try {
    const problem = (at) => ({ kind: "io", message: new RegExp(`/a\\.npy: the server answered with the bytes from ${at}`) });
    await assert.rejects((await open(`${later.url}a.npy`)).read("131071"), problem("16384, expected those from 1048576"));
    await assert.rejects(open(`${first.url}a.npy?token=1`), problem("5, expected those from 0"));
  } finally {
    for (const server of [later, first]) server.close();
  }
});

test("a connection that is lost within an answer", async () => {
  const files = new Map([["a.npy", npy()]]);
  const [first, later] = [await serve(files, { lost: () => true }), await serve(files, { lost: (number) => number === 2 })];
  try {
    const lost = { kind: "io", message: /http:\/\/127.*\/a\.npy: the connection was lost/ };
    await assert.rejects(open(`${first.url}a.npy`), lost);
    await assert.rejects((await open(`${later.url}a.npy`)).read("131071"), lost);
  } finally {
    for (const server of [first, later]) server.close();
  }
});

test("files of Node that cannot be opened", async () => {
  const url = (path) => new URL(path, import.meta.url);
  await assert.rejects(open(url("missing.npy")), { kind: "absent", message: `${fileURLToPath(url("missing.npy"))}: there is no such file` });
  await assert.rejects(open(url(".")), { kind: "io", message: /test\/: it is a directory/ });
});

test("an error of a server is no missing file of a directory", async () => {
  for (const status of [401, 429, 500, 503]) {
    const failing = async () => new Response("", { status, statusText: "no" });
    await assert.rejects(open("http://localhost/a/", { fetch: failing }), { kind: "io", message: new RegExp(`http://localhost/a/\\S+: the server answered ${status} no`) });
  }
  const unreachable = () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(open("http://localhost/a/", { fetch: unreachable }), { kind: "io", message: /CORS/ });
});

test("a text that is saved says how much of it is made", async () => {
  const opened = await open(npy());
  const made = [];
  const saved = await opened.save("...", "csv", { onProgress: (bytes) => made.push(bytes) });
  assert.ok(made.length > 1, `${made.length} times`);
  assert.deepEqual(made, made.toSorted((a, b) => a - b));
  assert.equal(made.at(-1), saved.length);
  made.length = 0;
  const file = await opened.save("5:9", "npy", { onProgress: (bytes) => made.push(bytes) });
  assert.deepEqual(made, [file.length]);
});

test("what a server did not send is no damage", async () => {
  const server = await serve(await zarr(), { fail: () => isFailing });
  let isFailing = false;
  try {
    const opened = await open(server.url);
    isFailing = true;
    const [facts] = await opened.chunks(1, 2);
    assert.deepEqual([facts.kind, /503 try later/.test(facts.problem)], ["io", true]);
    const { lost } = await opened.readRest("300000");
    assert.deepEqual(lost.map(({ kind }) => kind), ["io"]);
    isFailing = false;
    assert.equal((await opened.chunks(1, 2))[0].problem, undefined);
    assert.deepEqual((await opened.readRest("300000")).lost, []);
  } finally {
    server.close();
  }
});

test("a server that cannot be reached is said so", async () => {
  const refusing = () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(open("http://localhost/a.npy", { fetch: refusing }), { kind: "io", message: /^http:\/\/localhost\/a\.npy: the server cannot be reached, .*CORS/ });
});

test("a host that answers with a page for files that it does not have", async () => {
  const zarray = { zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  const files = new Map([["/a/.zarray", JSON.stringify(zarray)], ["/a/0", "\x01\x02\x03\x04"]]);
  const spa = async (url) => {
    const text = files.get(url.pathname);
    return new Response(text ?? "<!doctype html>", { headers: { "content-type": text ? "application/octet-stream" : "text/html; charset=utf-8" } });
  };
  const opened = await open("http://localhost/a/", { fetch: spa });
  assert.deepEqual([opened.kind, ...(await opened.read()).data], ["array", 1, 2, 3, 4]);
});

test("chunk files that a server refuses are counted", async () => {
  const zarray = { zarr_format: 2, shape: [4], chunks: [1], dtype: "|u1", fill_value: 9, order: "C", filters: null, compressor: null };
  const files = new Map([["/a/.zarray", JSON.stringify(zarray)], ["/a/0", "\x01"]]);
  const html = { headers: { "content-type": "text/html" } };
  const answer = (path) => (path === "/a/1" ? new Response("<!doctype html>", html) : new Response("", { status: path === "/a/3" ? 404 : 403 }));
  const opened = await open("http://localhost/a/", { fetch: async ({ pathname }) => (files.has(pathname) ? new Response(files.get(pathname)) : answer(pathname)) });
  assert.equal(opened.traffic.refused, undefined, "files with metadata do not count");
  assert.deepEqual([...(await opened.read()).data], [1, 9, 9, 9]);
  assert.equal(opened.traffic.refused, 2);
});

test("a group at a URL without consolidated metadata says that it cannot be listed", async () => {
  const only = async (url) => (url.pathname === "/g/.zgroup" ? new Response('{"zarr_format": 2}') : new Response("", { status: 404 }));
  await assert.rejects(open("http://localhost/g/", { fetch: only }), { kind: "io", message: "listing: a directory at a URL cannot be listed" });
});

test("of chunk files at a server without ranges, a map loads their start, and a read loads each once", async () => {
  const files = await zarr();
  const served = await serve(files, { noRanges: true });
  const opened = await open(served.url);
  const facts = await opened.chunks(0, 3);
  assert.equal(facts.length, 3);
  assert.ok(opened.traffic.read < 20_000, `${opened.traffic.read} bytes`);
  const before = served.log.length;
  assert.equal((await opened.read("0:524288")).data[1], Math.sin(1));
  assert.equal(served.log.length - before, 2, "requests");
  served.close();
});

test("a call that touches too many bytes is refused, and others go on", async () => {
  const [rows, columns] = [1 << 17, 1 << 14];
  const head = npy().slice(0, 128);
  head.set(new TextEncoder().encode(`{'descr': '|u1', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`.padEnd(117)), 10);
  const read = async (offset, length) => {
    const bytes = new Uint8Array(length).fill(7);
    if (offset === 0) bytes.set(head);
    return bytes;
  };
  const opened = await open({ size: rows * columns + 128, read });
  await assert.rejects(opened.read(":,5"), { kind: "limit", message: /read it in parts/ });
  assert.deepEqual([...(await opened.read("0:3,5")).data], [7, 7, 7]);
  opened.close();
});

test("a failure is tried again while another call waits", async () => {
  let [broken, answer] = [true, undefined];
  const answered = new Promise((resolve) => (answer = resolve));
  const read = async (offset, length) => {
    if (offset >= 1 << 20) await answered;
    else if (offset > 0 && broken) throw new Error("the network is lost");
    return new Uint8Array(length).fill(7);
  };
  const opened = await open({ size: 2 << 20, read }, { raw: true });
  const waiting = opened.bytes((2 << 20) - 1, 2 << 20);
  await assert.rejects(opened.bytes(65536, 65537), { kind: "io", message: /the network is lost/ });
  broken = false;
  assert.deepEqual([...(await opened.bytes(65536, 65537))], [7]);
  answer();
  assert.deepEqual([...(await waiting)], [7]);
  opened.close();
});

test("members with names that lead out of the directory are not asked for", async () => {
  const array = { zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  const metadata = { ".zgroup": { zarr_format: 2 }, "../secret/.zarray": array };
  const texts = { ".zgroup": { zarr_format: 2 }, ".zmetadata": { zarr_consolidated_format: 1, metadata } };
  const files = new Map(Object.entries(texts).map(([name, value]) => [`g/${name}`, new TextEncoder().encode(JSON.stringify(value))]));
  const served = await serve(files);
  const opened = await open(`${served.url}g/`);
  await assert.rejects(opened.member("../secret").then((member) => member.read()), /leads out of the directory/);
  assert.deepEqual(served.log.filter(([name]) => !name.startsWith("g/")), []);
  served.close();
});

test("a directory whose files are all refused says so", async () => {
  const served = await serve(new Map(), { forbidden: true });
  await assert.rejects(open(`${served.url}g/`), { kind: "absent", message: /403/ });
  served.close();
});

test("what cannot be opened is refused", async () => {
  for (const input of [undefined, null, 5, {}, [1], [["a", 1]]]) await assert.rejects(open(input), { kind: "invalid" });
  const handle = { getFile: async () => { throw new DOMException("no", "NotAllowedError"); } };
  await assert.rejects(open(handle), { kind: "io", name: "NotAllowedError" });
});
