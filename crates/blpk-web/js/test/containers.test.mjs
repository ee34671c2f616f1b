// Files and directories of every format, read as blobs: asynchronously, range by range.

import assert from "node:assert/strict";
import test from "node:test";
import { open } from "blpk";
import { archive, below, malformedFrame, manifest, sha256 } from "./golden.mjs";

/** Returns the files of a directory as blobs. */
const blobs = (files) => files.map(([name, bytes]) => [name, new Blob([bytes])]);

const all = async (opened) => opened.bytes(0, opened.description.nbytes);

test("every bloscpack file gives the recorded bytes", async () => {
  const { files } = manifest("bloscpack");
  assert.equal(files.length, 225);
  for (const item of files) {
    const opened = await open(new Blob([archive("bloscpack").get(item.file)]));
    assert.equal(sha256(await all(opened)), item.sha256, item.file);
    assert.ok(opened.traffic.read > 0);
    opened.close();
  }
});

test("every frame gives the recorded bytes", async () => {
  const { frames } = manifest("frames");
  assert.equal(frames.length, 289);
  let arrays = 0;
  for (const item of frames) {
    const file = archive("frames").get(item.path);
    const opened = await open(file ? new Blob([file]) : blobs(below(archive("frames"), item.path)));
    const digest = item.b2nd?.array_sha256 ?? item.sha256;
    // Uninitialised chunks hold any bytes.
    if (digest !== undefined) assert.equal(sha256(await all(opened)), digest, item.path);
    if (item.b2nd) assert.deepEqual(opened.shape, item.b2nd.shape, item.path);
    arrays += item.b2nd ? 1 : 0;
    opened.close();
  }
  assert.ok(arrays > 80);
});

test("every Zarr store gives the recorded bytes", async () => {
  const { stores } = manifest("zarr");
  assert.equal(stores.length, 183);
  for (const item of stores) {
    const file = archive("zarr").get(item.name);
    const store = file ? new Blob([file]) : blobs(below(archive("zarr"), item.name));
    if (item.refused) {
      await assert.rejects(open(store), new RegExp(item.refused), item.name);
      continue;
    }
    const root = await open(store);
    if (item.member) assert.ok(root.members.includes(item.member), item.name);
    const opened = item.member ? await root.member(item.member) : root;
    assert.deepEqual(opened.shape, item.shape, item.name);
    assert.equal(sha256(await all(opened)), item.sha256, item.name);
    root.close();
  }
});

test("every bcolz directory gives the recorded rows", async () => {
  const { cases } = manifest("bcolz");
  assert.equal(cases.length, 272);
  let read = 0;
  for (const item of cases.filter((item) => item.expect === "ok" && item.dtype !== "object")) {
    const root = await open(blobs(below(archive("bcolz"), item.name)));
    const columns = item.kind === "ctable" ? Object.entries(item.columns) : [["", item]];
    assert.deepEqual(root.members, item.names ?? [], item.name);
    for (const [name, column] of columns) {
      if (column.dtype === "object" || column.sha256 === undefined) continue;
      const opened = name === "" ? root : await root.member(name);
      assert.equal(sha256(await all(opened)), column.sha256, `${item.name} ${name}`);
      read++;
    }
    root.close();
  }
  assert.ok(read > 180, `${read} columns`);
});

/** Opens a damaged input and reads what there is. Returns whether that worked. */
async function survives(input, what) {
  try {
    const root = await open(input);
    const opened = root.members[0] ? await root.member(root.members[0]) : root;
    const { nbytes = 0, shape = [] } = opened.description;
    await opened.chunks(0, 64);
    if (nbytes <= 1 << 22) await opened.readRest();
    await opened.texts(shape.length ? `:3${",0".repeat(shape.length - 1)}` : "");
    await opened.bytes(0, Math.min(nbytes, 1 << 20));
    root.close();
    return true;
  } catch (error) {
    assert.ok(error.kind && error.kind !== "broken", `${what}: ${error.stack}`);
    return false;
  }
}

test("no malformed file breaks the module", async () => {
  const { malformed } = manifest("bloscpack");
  assert.equal(malformed.length, 521);
  for (const item of malformed) await survives(new Blob([archive("bloscpack").get(item.file)]), item.file);
  const frames = manifest("frames").malformed;
  assert.equal(frames.length, 2944);
  for (const item of frames) await survives(malformedFrame(item), item.name);
  const damaged = manifest("bcolz").cases.filter((item) => item.expect !== "ok");
  for (const item of damaged) await survives(blobs(below(archive("bcolz"), item.name)), item.name);
});

test("a file that was closed says so", async () => {
  const closed = { kind: "invalid", message: "the file was closed" };
  const calls = ["read", "readRest", "texts", "chunks", "member"].map((name) => (opened) => opened[name]());
  calls.push((opened) => opened.bytes(0, 8), (opened) => opened.save("0", "csv"), (opened) => opened.save("0", "npy"));
  const opened = await open(new Blob([new Uint8Array(1 << 20)]), { raw: true });
  const reading = opened.read();
  opened.close();
  opened.close();
  opened.free();
  await assert.rejects(reading, closed);
  for (const call of calls) await assert.rejects(call(opened), closed, String(call));
  const table = await open(blobs(below(archive("bcolz"), "ref/tab/mixed")));
  const column = await table.member("i");
  column.free();
  column.close();
  await assert.rejects(column.read(), closed);
  const other = await table.member("i");
  assert.equal((await other.read(":2")).data.length, 2);
  table.close();
  for (const call of calls) await assert.rejects(call(other), closed, String(call));
});

test("a table with damaged columns has the others", async () => {
  const whole = below(archive("bcolz"), "ref/tab/mixed");
  const [first, ...others] = (await open(blobs(whole))).members;
  const meta = `${first}/meta/storage`;
  const damage = {
    damaged: whole.map(([name, bytes]) => [name, name === meta ? new Uint8Array([123]) : bytes]),
    absent: whole.filter(([name]) => !name.startsWith(`${first}/`)),
  };
  const { rows } = (await open(blobs(whole))).description;
  for (const [kind, files] of Object.entries(damage)) {
    const table = await open(blobs(files));
    assert.deepEqual([table.kind, table.members, table.description.rows], ["table", [first, ...others], rows]);
    await assert.rejects(table.member(first), (error) => error.kind === kind && error.message.includes(`${first}/meta/`), kind);
    for (const name of others) assert.equal((await table.member(name)).shape[0], rows);
    await assert.rejects(table.member("nope"), { kind: "absent", message: /no column "nope"/ });
    table.close();
  }
  const none = whole.filter(([name]) => !name.includes("/meta/"));
  await assert.rejects(open(blobs(none)), { kind: "absent" });
});

test("arrays whose chunks are files say what a file holds", async () => {
  const stores = manifest("zarr").stores.filter(({ refused }) => !refused);
  const shapeOf = async (name, member) => {
    const file = archive("zarr").get(name);
    const root = await open(file ? new Blob([file]) : blobs(below(archive("zarr"), name)));
    const { chunkshape, fileshape } = (member ? await root.member(member) : root).description;
    return [chunkshape, fileshape];
  };
  const sharded = stores.find(({ name }) => /^v3\/.*shard/.test(name));
  const [chunkshape, fileshape] = await shapeOf(sharded.name, sharded.member);
  assert.ok(fileshape.every((length, axis) => length % chunkshape[axis] === 0) && fileshape.some((length, axis) => length > chunkshape[axis]), `${chunkshape} ${fileshape}`);
  const plain = stores.find(({ name }) => /^v2\/codec\/blosc_lz4_1_C/.test(name));
  const [chunk, whole] = await shapeOf(plain.name, plain.member);
  assert.deepEqual(whole, chunk);
  for (const { name, member } of stores.filter(({ name }) => name.endsWith(".zip"))) assert.equal((await shapeOf(name, member))[1], null, name);
  const table = await open(blobs(below(archive("bcolz"), "ref/tab/mixed")));
  assert.deepEqual((await table.member("m")).description.fileshape, [128, 2]);
  const sparse = (await open(blobs(below(archive("frames"), "frames/b2nd_034_f8_5x6x7.sframe")))).description;
  assert.deepEqual(sparse.fileshape, sparse.chunkshape);
  assert.equal((await open(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"))).description.fileshape, null);
});

test("members and indices that do not exist", async () => {
  const { stores } = manifest("zarr");
  const { name } = stores.find(({ member, refused, name }) => member && !refused && !archive("zarr").has(name));
  const group = await open(blobs(below(archive("zarr"), name)));
  await assert.rejects(group.member("nope"), { kind: "absent", message: 'there is no array "nope"' });
  const array = await group.member(group.members[0]);
  const wrong = [[undefined], [1n], [{}], [Symbol("a")], [[{}]], [[1n, 2]], [, 1], 5, null, {}];
  for (const [at, slice] of wrong.entries()) await assert.rejects(array.read(slice), { kind: "invalid" }, `slice ${at}`);
});
