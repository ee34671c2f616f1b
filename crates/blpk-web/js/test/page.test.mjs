// The computations of the page that need no browser.

import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** Imports a source file of the page. */
async function load(name) {
  const file = fileURLToPath(new URL(`../../page/src/${name}.ts`, import.meta.url));
  const { outputFiles } = buildSync({ entryPoints: [file], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { ticks, valueTicks } = await load("ticks");
const { scaleOf } = await load("colours");
const { histogramOf, statsOf } = await load("numbers");
const { labelsOf, summaryText, textOf } = await load("texts");
const { chunksOf, lostRuns } = await load("lost");
const { zoomed, startOf } = await load("zoom");
const { bytesOf, MOST_BYTES, MOST_FILES } = await load("cost");

test("ticks are round numbers in the range", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticks(95, 301, 4), [100, 200, 300]);
  assert.deepEqual(ticks(7, 8, 4), [7]);
  assert.deepEqual(valueTicks(-0.25, 0.35, 6), [-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  assert.deepEqual(valueTicks(3, 3, 6), [3]);
});

test("ticks of close and of extreme values end", () => {
  const [max, min] = [Number.MAX_VALUE, Number.MIN_VALUE];
  const ranges = [[0.3, 0.1 + 0.2], [2 ** 60, 2 ** 60 + 512], [17e17, 17e17 + 1024], [1, 1 + 2 ** -52], [-max, max], [0, min], [-min, min]];
  for (const [low, high] of ranges) {
    for (const count of [1, 2, 7, 40]) {
      const found = valueTicks(low, high, count);
      assert.ok(found.length > 0 && found.length <= 2 * count + 2, `${low} to ${high}: ${found}`);
      assert.ok(found.every((tick, at) => tick >= low && tick <= high && !(tick <= found[at - 1])), `${low} to ${high}: ${found}`);
    }
  }
  assert.ok(ticks(2 ** 53, 2 ** 53 + 4, 9).length <= 4);
});

test("a window of many small files counts by its files", () => {
  const window = (rows, columns, step = 1) => [rows, columns].map((stop, axis) => ({ axis, start: 0, stop, step }));
  const files = (description, ...sizes) => (bytesOf({ itemsize: 8, ...description }, window(...sizes)) * MOST_FILES) / MOST_BYTES;
  const boxes = { shape: [4096, 4096], chunkshape: [16, 16] };
  assert.equal(bytesOf({ itemsize: 8, ...boxes }, window(512, 512)), 512 * 512 * 8);
  // A window that begins within boxes touches 33 along each axis, and the whole array 256.
  assert.equal(files({ ...boxes, fileshape: [16, 16] }, 512, 512), 33 * 33);
  assert.equal(files({ ...boxes, fileshape: [16, 16] }, 4096, 16), 256 * 2);
  // Shards of 4 x 4 chunks.
  assert.equal(files({ ...boxes, fileshape: [64, 64] }, 512, 512), 9 * 9);
  // Steps of 64 items pass over three of four boxes along each axis.
  assert.equal(files({ ...boxes, fileshape: [16, 16] }, 4096, 4096, 64), 64 * 64);
  // Boxes of 1 MiB count by their bytes.
  const large = { shape: [4096, 4096], chunkshape: [512, 256], fileshape: [512, 256] };
  assert.equal(bytesOf({ itemsize: 8, ...large }, window(2048, 2048)), 2048 * 2048 * 8);
  // A file for each row.
  const rows = { shape: [4096, 100], chunkNbytes: 800, order: "C" };
  assert.equal(files({ ...rows, fileshape: [1, 100] }, 512, 100), 512);
  assert.ok(files(rows, 512, 100) < 2);
});

test("zooming keeps the item in the window, near its place", () => {
  for (const [length, most] of [[1, 512], [37, 512], [5000, 512], [100_003, 64]]) {
    const whole = { start: 0, stop: length, step: Math.ceil(length / most) };
    const samples = ({ start, stop, step }) => Math.ceil((stop - start) / step);
    for (const first of [0, 1, Math.floor(samples(whole) / 3), samples(whole) - 1]) {
      let [range, index] = [whole, Math.min(first, samples(whole) - 1)];
      const item = index * whole.step;
      while (range.stop - range.start > 1) {
        [range, index] = zoomed(range, index, 0.5, length, most);
        assert.equal(range.start + index * range.step, item, `${length} ${first}`);
        assert.ok(range.start >= 0 && range.stop <= length && samples(range) <= most && index < samples(range));
      }
      while (range.stop - range.start < length) {
        [range, index] = zoomed(range, index, 2, length, most);
        assert.ok(Math.abs(range.start + index * range.step - item) <= range.step, `${length} ${first}`);
        assert.ok(range.start >= 0 && range.stop <= length && samples(range) <= most && index < samples(range));
      }
    }
  }
  assert.deepEqual(zoomed({ start: 0, stop: 400, step: 1 }, 100, 0.5, 400, 512), [{ start: 50, stop: 250, step: 1 }, 50]);
});

test("windows of a line have the item", () => {
  for (let item = 0; item < 1000; item += 7) {
    for (const count of [2, 30, 64, 100, 250, 500]) {
      const start = startOf(item, { start: 0, stop: 1000 }, count, 64);
      assert.ok(Number.isInteger(start) && start <= item && item < start + count, `${item}: ${start} + ${count}`);
      assert.ok(count < 64 || start % 64 === 0);
    }
  }
});

test("ranges whose width is larger than a float have colours, bins and a mean", () => {
  const max = Number.MAX_VALUE;
  const scale = scaleOf(-max, max, false, max);
  assert.deepEqual([-max, -max / 2, 0, max].map(scale.place), [0, 0.25, 0.5, 1]);
  assert.deepEqual([0, 0.5, 1].map(scale.value), [-max, 0, max]);
  const { low, high, counts } = histogramOf(Float64Array.of(-max, 0, max, max), false);
  assert.deepEqual([low, high, counts[0], counts[16], counts[31]], [-max, max, 1, 1, 2]);
  assert.equal(statsOf(Float64Array.of(max, max, Number.NaN)).mean, max);
  const nanoseconds = 1.6e18 + 123456768;
  assert.equal(statsOf(new Float64Array(1 << 20).fill(nanoseconds)).mean, nanoseconds);
  const log = scaleOf(-1, 1000, true, 10);
  assert.deepEqual([10, 100, 1000, -1].map(log.place), [0, 0.5, 1, Number.NaN]);
  assert.equal(log.value(0.5), 100);
});

test("texts of values have all digits, and dates are dates", () => {
  const leaf = (kind, itemsize, unit = "") => ({ kind, itemsize, dtype: `<${kind}${itemsize}${unit}` });
  assert.equal(textOf(0.1 + 0.2, leaf("f", 8)), "0.30000000000000004");
  assert.equal(textOf(1234567890.125, leaf("f", 8)), "1234567890.125");
  assert.equal(textOf(Math.fround(0.1), leaf("f", 4)), "0.1");
  assert.equal(textOf(Number.NEGATIVE_INFINITY, leaf("f", 4)), "-inf");
  assert.equal(textOf(2n ** 60n + 1n, leaf("i", 8)), "1152921504606846977");
  const dates = [
    ["ns", 1_700_000_000_123_456_789n, "2023-11-14T22:13:20.123456789"],
    ["us", -1n, "1969-12-31T23:59:59.999999"],
    ["25s", 2n, "1970-01-01T00:00:50"],
    ["m", 61n, "1970-01-01T01:01"],
    ["h", -1n, "1969-12-31T23"],
    ["D", 19_000n, "2022-01-08"],
    ["W", 1n, "1970-01-08"],
    ["M", -1n, "1969-12"],
    ["Y", 54n, "2024"],
    ["Y", -1969n, "0001"],
    ["s", 2n ** 62n, "4611686018427387904 s"],
    ["ns", -(2n ** 63n), "NaT"],
  ];
  for (const [unit, value, expected] of dates) assert.equal(textOf(value, leaf("M", 8, `[${unit}]`)), expected, unit);
  assert.equal(textOf(1_700_000_000_000_000_000, leaf("M", 8, "[ns]")), "2023-11-14T22:13:20.000000000");
  assert.equal(textOf(Number.NaN, leaf("m", 8, "[s]")), "NaT");
  assert.equal(textOf(7n, leaf("m", 8, "[2h]")), "14 h");
  assert.equal(textOf(7n, leaf("m", 8)), "7");
  assert.equal(summaryText(1 / 3, leaf("f", 8)), "0.3333333");
  assert.equal(summaryText(19_000.25, leaf("M", 8, "[D]")), "2022-01-08");
  assert.equal(summaryText(1_700_000_000_000_000_000, leaf("M", 8, "[ns]")), "≈ 2023-11-14T22:13:20.000000000");
});

test("labels of dates have no more parts than tell them apart", () => {
  const seconds = { kind: "M", dtype: "<M8[s]", itemsize: 8, axes: [] };
  const day = 86_400;
  assert.deepEqual(labelsOf([0, 400 * day, 800 * day], seconds), ["1970", "1971", "1972"]);
  assert.deepEqual(labelsOf([0, 10 * day, 20 * day], seconds), ["1970-01-01", "1970-01-11", "1970-01-21"]);
  assert.deepEqual(labelsOf([0, 60, Number.NaN], seconds), ["1970-01-01T00:00", "1970-01-01T00:01", ""]);
  assert.deepEqual(labelsOf([0, 1], { ...seconds, dtype: "<M8[ms]" }), ["1970-01-01T00:00:00.000", "1970-01-01T00:00:00.001"]);
  assert.deepEqual(labelsOf([-9e8, 1e12, 0.5], { kind: "f", dtype: "<f8", itemsize: 8, axes: [] }), ["-900000000", "1000000000000", "0.5"]);
  const years = { ...seconds, dtype: "<M8[Y]" };
  assert.deepEqual([-1975n, -1965n, 0n, 10375n].map((year) => textOf(year, years)), ["-005", "0005", "1970", "12345"]);
});

test("lost parts are those of chunks, by the boxes or by name", () => {
  const boxes = { shape: [10, 20], chunkshape: [4, 6] };
  const lost = (start, stop, problem = "c/1/2: bad") => [{ start, stop, problem }];
  const whole = [{ start: 0, stop: 10, step: 1 }, { start: 0, stop: 20, step: 1 }];
  assert.deepEqual(chunksOf(lost([4, 12], [8, 18]), whole, boxes), [[6, "c/1/2: bad"]]);
  assert.deepEqual(chunksOf(lost([0, 0], [5, 1]), whole, boxes).map(([chunk]) => chunk), [0, 4]);
  const every = [{ start: 0, stop: 10, step: 5 }, { start: 19, stop: 20, step: 1 }];
  assert.deepEqual(chunksOf(lost([1, 0], [2, 1]), every, boxes).map(([chunk]) => chunk), [7]);
  assert.deepEqual(chunksOf(lost([0], [5], "chunk 3: bad"), [whole[0]], { shape: [10], chunkshape: null }), [[3, "chunk 3: bad"]]);
  assert.deepEqual(chunksOf(lost([0], [5], "bad"), [whole[0]], { shape: [10], chunkshape: null }), []);
});

test("lost cells are runs within their row", () => {
  const lost = Uint8Array.of(0, 1, 1, 1, 1, 0, 1, 0, 1);
  assert.deepEqual(lostRuns({ lost, rows: 3, columns: 3 }), [[0, 1, 3], [1, 0, 2], [2, 0, 1], [2, 2, 3]]);
  assert.equal(lostRuns({ lost: new Uint8Array(512 * 512).fill(1), rows: 512, columns: 512 }).length, 512);
});
