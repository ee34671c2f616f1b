// How people use the page: keys, mouse, downloads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { archive, below } from "../test/golden.mjs";
import { open as openFile } from "../dist/index.js";
import { damagedZarr } from "./damaged.mjs";
import { data, end, page, problems, settled, test, text, visit } from "./chromium.mjs";
import { npyOf, numbers } from "./harness.mjs";

await test("keys read values, zoom and change views", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  const values = await numbers(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  const canvas = page.locator("#panel canvas").first();
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#panel .readout").first().innerText(), `[1, 1] = ${values[18]}`);
  await page.keyboard.press("+");
  await settled();
  await page.waitForFunction(() => Number(document.querySelector('[data-stat="values"]').innerText) < 221);
  await page.getByRole("tab", { name: "Heat map" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { name: "Values" }).getAttribute("aria-selected"), "true");
  await page.waitForFunction(() => document.querySelector(".scroller tbody td") !== null);
});

await test("keys of the browser are left to it by tabs, the map and the grid", async () => {
  await visit("frames/frames/b2nd_034_f8_5x6x7.sframe/");
  const isTaken = (element) => ["ArrowLeft", "ArrowUp", "Home"].some((key) => !element.dispatchEvent(new KeyboardEvent("keydown", { key, altKey: true, bubbles: true, cancelable: true })));
  for (const selector of ["#tab-0", "#map-body canvas"]) assert.equal(await page.locator(selector).evaluate(isTaken), false, selector);
  await page.getByRole("tab", { name: "Values" }).click();
  assert.equal(await page.locator("#panel [role=grid]").evaluate(isTaken), false, "grid");
});

await test("the button for more chunk headers keeps the focus, or the map has it", async () => {
  data.set("many/.zarray", Buffer.from(JSON.stringify({ zarr_format: 2, shape: [1100 * 64], chunks: [64], dtype: "|u1", fill_value: 9, order: "C", filters: null, compressor: { id: "blosc", cname: "lz4", clevel: 1, shuffle: 0, blocksize: 0 } })));
  await visit("many/");
  await page.getByRole("button", { name: "Read more chunk headers" }).focus();
  await page.keyboard.press("Enter");
  const read = (count) => page.waitForFunction((text) => document.querySelector("#map-body .readout").innerText.startsWith(text), `${count} of 1100 chunks`);
  await read(1024);
  assert.equal(await page.evaluate(() => document.activeElement.innerText), "Read more chunk headers");
  await page.keyboard.press("Enter");
  await read(1100);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "application");
});

await test("keys of the browser do not zoom plots", async () => {
  for (const path of ["frames/frames/b2nd_033_f8_13x17.b2nd", "frames/frames/b2nd_032_f8_50.b2frame"]) {
    await visit(path);
    const slice = await page.locator("#slice").inputValue();
    await page.locator("#panel canvas").first().focus();
    // Chromium without a window does nothing with these keys.
    for (const modifier of ["Control", "Meta", "Alt"]) for (const key of ["=", "-"]) await page.keyboard.press(`${modifier}+${key}`);
    await settled();
    assert.equal(await page.locator("#slice").inputValue(), slice, path);
    assert.doesNotMatch(await text("#status"), /to \d+/, path);
  }
});

await test("the mouse reads values", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  const box = await page.locator("#panel canvas").first().boundingBox();
  await page.mouse.move(box.x + 64 + 2, box.y + 6 + 2);
  const values = await numbers(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  assert.equal(await page.locator("#panel .readout").first().innerText(), `[0, 0] = ${values[0]}`);
});

await test("values under the cursor have all digits, and dates are dates", async () => {
  const big = 2n ** 60n;
  const cases = [
    ["<i8", [2], BigInt64Array.of(big, big + 1n), `[1] = ${big + 1n}`],
    ["<f4", [2], Float32Array.of(0, 1234567.9), "[1] = 1234567.9"],
    ["<M8[ns]", [2], BigInt64Array.of(0n, 1_700_000_000_123_456_789n), "[1] = 2023-11-14T22:13:20.123456789"],
    ["<u8", [2, 1, 2], BigUint64Array.of(0n, big + 2n, big + 3n, big + 5n), `[1, 0, 1] = ${big + 5n}`],
    ["<M8[D]", [1, 2], BigInt64Array.of(0n, 19_000n), "[0, 1] = 2022-01-08"],
    ["<c8", [1, 2], Float32Array.of(0, 0, 3, 4), "[0, 1] = magnitude 5"],
  ];
  for (const [dtype, shape, items, expected] of cases) {
    data.set("exact.npy", npyOf(dtype, shape, items));
    await visit("exact.npy");
    await page.locator("#panel canvas").first().focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#panel .readout[role=status]").innerText(), expected, dtype);
    if (shape.length < 3) continue;
    // The same plane with its axes exchanged.
    await page.getByLabel("Axis of the rows").selectOption("2");
    await page.getByLabel("Axis of the columns").selectOption("0");
    await settled();
    await page.locator("#panel canvas").first().focus();
    for (const key of ["ArrowUp", "ArrowRight"]) await page.keyboard.press(key);
    assert.equal(await page.locator("#panel .readout[role=status]").innerText(), `[1, 0, 0] = ${big + 3n}`);
  }
});

await test("a map and a line say what they show while the next part is read", async () => {
  const readout = () => page.locator("#panel .readout[role=status]").innerText();
  let gate = Promise.resolve();
  await page.route("**/slow.npy", async (route) => {
    await gate;
    await route.continue();
  });
  try {
    data.set("slow.npy", npyOf("<f8", [9, 200, 300], Float64Array.from({ length: 9 * 200 * 300 }, (_, at) => Math.floor(at / 60_000))));
    await visit("slow.npy");
    assert.equal(await readout(), "[4, 0, 0] = 4");
    let pass = () => {};
    gate = new Promise((done) => (pass = done));
    await page.getByLabel("axis 0, as a number").fill("7");
    await page.getByLabel("axis 0, as a number").press("Enter");
    await page.locator("#panel canvas").first().press("ArrowRight");
    assert.equal(await readout(), "[4, 0, 1] = 4", "the plane is still that of index 4");
    assert.match(await page.locator("#slice").inputValue(), /^4,/);
    pass();
    await page.waitForFunction(() => document.querySelector("#panel .readout[role=status]").innerText === "[7, 0, 1] = 7");
    data.set("slow.npy", npyOf("<f8", [4 << 20], Float64Array.from({ length: 4 << 20 }, (_, at) => Math.floor(at / 1024))));
    await visit("slow.npy");
    const [first] = (await readout()).split(" = ");
    gate = new Promise((done) => (pass = done));
    await page.locator("#panel canvas").first().press("PageDown");
    await page.locator("#panel canvas").first().press("Home");
    assert.equal((await readout()).split(" = ")[0], first, "the line is still the first one");
    pass();
    await page.waitForFunction((before) => !document.querySelector("#panel .readout[role=status]").innerText.startsWith(before), first);
  } finally {
    await page.unroute("**/slow.npy");
  }
});

await test("a line plot shows values between gaps", async () => {
  data.set("gaps.npy", npyOf("<f8", [300], Float64Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? Number.NaN : Math.sin(at)))));
  await visit("gaps.npy");
  const pixels = await page.locator("#panel canvas").first().evaluate((canvas) => {
    const context = canvas.getContext("2d");
    const colour = document.createElement("canvas").getContext("2d");
    colour.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    colour.fillRect(0, 0, 1, 1);
    const [red, green, blue] = colour.getImageData(0, 0, 1, 1).data;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 60) count++;
    return count;
  });
  assert.ok(pixels > 150, `${pixels} pixels of 150 points`);
});

await test("a swipe on a trackpad zooms in steps, and sideways not at all", async () => {
  data.set("swipe.npy", npyOf("<f8", [4096], Float64Array.from({ length: 4096 }, (_, at) => at)));
  await visit("swipe.npy");
  await page.locator("#panel canvas").first().focus();
  const turn = (options) => page.locator("#panel canvas").first().evaluate((canvas, given) => canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ...given })), options);
  for (let event = 0; event < 5; event++) await turn({ deltaX: 90, deltaY: 0 });
  for (let event = 0; event < 12; event++) await turn({ deltaY: -4 });
  await settled();
  assert.equal(await page.locator("#slice").inputValue(), "0:4096");
  await turn({ deltaY: -4 });
  await page.waitForFunction(() => /^\d+:\d+$/.test(document.getElementById("slice").value) && document.getElementById("slice").value !== "0:4096");
  const [from, to] = (await page.locator("#slice").inputValue()).split(":").map(Number);
  assert.equal(to - from, 2048);
});

await test("a line plot says where values are rounded, and where they are magnitudes", async () => {
  const line = () => page.locator("#panel .readout[role=status]").innerText();
  const integers = BigInt64Array.from({ length: 10_000 }, (_, at) => 10n ** 18n + BigInt(at));
  for (const [dtype, rounded] of [["<i8", /= ≈ 1000000000000000000( to ≈ \d+)?$/], ["<M8[ns]", /= ≈ 2001-09-09T01:46:40\.\d+( to ≈ \S+)?$/]]) {
    data.set("rounded.npy", npyOf(dtype, [integers.length], integers));
    await visit("rounded.npy");
    assert.match(await line(), rounded, dtype);
    for (let zoom = 0; zoom < 6; zoom++) await page.getByRole("button", { name: "Zoom in" }).click();
    await page.waitForFunction(() => document.getElementById("slice").value === "0:157");
    await settled();
    assert.doesNotMatch(await line(), /≈/, dtype);
  }
  data.set("float.npy", npyOf("<f8", [10_000], new Float64Array(10_000).fill(1e18)));
  await visit("float.npy");
  assert.match(await line(), /= 1000000000000000000$/);
  data.set("complex.npy", npyOf("<c16", [2], Float64Array.of(0, 3e17, 3, 4)));
  await visit("complex.npy");
  assert.equal(await line(), "[0] = magnitude 300000000000000000");
  assert.match(await text("#panel .stats"), /min magnitude\s+5\s+max magnitude\s+3e\+17\s+mean magnitude/);
  assert.match(await page.locator("#panel canvas[role=application]").getAttribute("aria-label"), /magnitude from 5 to/);
  assert.match(await page.locator("#panel canvas[role=img]").getAttribute("aria-label"), /magnitude from 5 to/);
});

await test("means of large values are between the least and the greatest", async () => {
  const time = 1_700_000_000_123_456_789n;
  data.set("times.npy", npyOf("<M8[ns]", [1 << 20], new BigInt64Array(1 << 20).fill(time)));
  await visit("times.npy");
  const shown = (name) => page.locator(`[data-stat=${name}]`).innerText();
  assert.equal(await shown("mean"), await shown("min"));
  // A first value that is far from the others does not change their mean.
  const far = new Float64Array(1 << 20).fill(5);
  [far[0], far[1]] = [-(2 ** 60), 2 ** 61];
  data.set("far.npy", npyOf("<f8", [1 << 20], far));
  await visit("far.npy");
  assert.equal(await shown("mean"), String(2 ** 40 + 5));
});

await test("downloads are the selected items", async () => {
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  await page.locator("#slice").fill("2:4, ::5");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-form button").click()]);
  const saved = await openFile(new Uint8Array(readFileSync(await download.path())));
  const whole = await openFile(archive("frames").get("frames/b2nd_033_f8_13x17.b2nd"));
  assert.deepEqual((await saved.read()).data, (await whole.read("2:4,::5")).data);
});

await test("problems go when the same action works, and with the member they are of", async () => {
  await visit("bcolz/ref/tab/mixed/");
  const save = () => page.locator("#save-form button").click();
  const problem = (pattern) => page.waitForFunction((text) => new RegExp(text).test(document.getElementById("problems").innerText), pattern);
  await page.locator("#slice").fill("5:x");
  await save();
  await problem("5:x");
  await page.locator("#slice").fill("2:5");
  await Promise.all([page.waitForEvent("download"), save()]);
  assert.equal(await problems(), "");
  await page.locator("#slice").fill("5:x");
  await save();
  await problem("5:x");
  await page.locator("#member").selectOption("f");
  await page.waitForFunction(() => document.getElementById("tabs").innerText.includes("Line plot"));
  assert.equal(await problems(), "");
});

await test("a member that cannot be read leaves nothing of the one before", async () => {
  const array = { zarr_format: 2, shape: [4], chunks: [4], dtype: "|u1", fill_value: 0, order: "C", filters: null, compressor: null };
  const words = { ...array, dtype: "|O", filters: [{ id: "vlen-utf8" }] };
  const metadata = { ".zgroup": { zarr_format: 2 }, "good/.zarray": array, "words/.zarray": words };
  const file = (path, content) => data.set(`group-of-words/${path}`, Buffer.from(content));
  file(".zmetadata", JSON.stringify({ zarr_consolidated_format: 1, metadata }));
  for (const [path, content] of Object.entries(metadata)) file(path, JSON.stringify(content));
  file("good/0", "\x01\x02\x03\x04");
  await visit("group-of-words/");
  assert.equal(await page.locator("#member").inputValue(), "good");
  assert.equal(await page.locator("#save").isVisible(), true);
  await page.locator("#member").selectOption("words");
  await page.waitForFunction(() => document.getElementById("problems").innerText.includes("words"));
  for (const part of ["#save", "#tabs", "#map"]) assert.equal(await page.locator(part).isVisible(), false, part);
  await page.locator("#member").selectOption("good");
  await page.waitForFunction(() => document.getElementById("save").checkVisibility());
  assert.equal(await problems(), "");
});

await test("views change while a long download is made", async () => {
  data.set("download.npy", npyOf("<f8", [3000, 1000], Float64Array.from({ length: 3_000_000 }, (_, at) => Math.sqrt(at))));
  await visit("download.npy");
  await page.locator("#slice").fill("...");
  await page.locator("#save-form select").selectOption("csv");
  let isSaved = false;
  const saved = page.waitForEvent("download").then(() => (isSaved = true));
  await page.locator("#save-form button").click();
  const canvas = page.locator("#panel canvas").first();
  await canvas.focus();
  for (let zoom = 0; zoom < 3; zoom++) await canvas.press("+");
  await page.waitForFunction(() => !document.getElementById("slice").value.includes("..."));
  assert.equal(isSaved, false, "the download is still made");
  await saved;
});

await test("a download says how much is made, and can be cancelled", async () => {
  data.set("cancelled.npy", npyOf("<f8", [3000, 2000], Float64Array.from({ length: 6_000_000 }, (_, at) => Math.sqrt(at))));
  await visit("cancelled.npy");
  await page.locator("#slice").fill("...");
  await page.locator("#save-form select").selectOption("csv");
  let saved = 0;
  const count = () => saved++;
  page.on("download", count);
  assert.equal(await page.locator("#cancel").isVisible(), false);
  await page.locator("#save-button").click();
  await page.waitForFunction(() => /^\d+(\.\d+)? \S+ made$/.test(document.getElementById("made").innerText));
  // A second download waits for the first.
  assert.equal(await page.locator("#save-button").getAttribute("aria-disabled"), "true");
  await page.locator("#cancel").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("status").innerText === "the download was cancelled");
  assert.equal(await page.evaluate(() => document.activeElement.id), "save-button");
  assert.equal(await page.locator("#cancel").isVisible(), false);
  assert.equal(await problems(), "");
  await page.locator("#slice").fill("5:7,:3");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-button").click()]);
  assert.equal(readFileSync(await download.path(), "utf8").trimEnd().split("\n").length, 3);
  assert.equal(saved, 1, "only the second one is saved");
  page.off("download", count);
});

await test("a download that waits for a plot is cancelled at once", async () => {
  let pass = () => {};
  let gate = Promise.resolve();
  await page.route("**/waits.npy", async (route) => {
    await gate;
    await route.continue().catch(() => {});
  });
  try {
    data.set("waits.npy", npyOf("<f8", [9, 600, 600], new Float64Array(9 * 600 * 600)));
    await visit("waits.npy");
    gate = new Promise((done) => (pass = done));
    await page.getByLabel("axis 0, as a number").fill("7");
    await page.getByLabel("axis 0, as a number").press("Enter");
    await page.locator("#save-button").click();
    await page.locator("#cancel").click();
    await page.waitForFunction(() => document.getElementById("status").innerText === "the download was cancelled");
    assert.equal(await page.locator("#save-button").getAttribute("aria-disabled"), "false");
    pass();
    await page.waitForFunction(() => document.querySelector("#panel .readout[role=status]").innerText.startsWith("[7, "));
  } finally {
    pass();
    await page.unroute("**/waits.npy");
  }
});

await test("a download that waits for a server is cancelled at once, and goes with its file", async () => {
  const status = (expected) => page.waitForFunction((text) => document.getElementById("status").innerText === text, expected);
  let gate = Promise.resolve();
  await page.route("**/hanging.npy", async (route) => {
    await gate;
    await route.continue().catch(() => {});
  });
  let pass = () => {};
  try {
    data.set("hanging.npy", npyOf("<f8", [4, 1 << 20], new Float64Array(4 << 20)));
    await visit("hanging.npy");
    gate = new Promise((done) => (pass = done));
    const save = async () => {
      await page.locator("#slice").fill("...");
      await page.locator("#save-button").click();
      await status("saving …");
    };
    await save();
    await page.locator("#cancel").click();
    await status("the download was cancelled");
    const [retried] = await Promise.all([page.waitForEvent("download"), save().then(pass)]);
    assert.equal(readFileSync(await retried.path()).length, data.get("hanging.npy").length);
    data.set("hanging.npy", npyOf("<f8", [4, 1 << 20], new Float64Array(4 << 20)));
    gate = Promise.resolve();
    await visit("hanging.npy");
    gate = new Promise((done) => (pass = done));
    await save();
    await page.locator("#url").fill("/data/swipe.npy");
    await page.locator("#url").press("Enter");
    await page.waitForFunction(() => document.getElementById("title").innerText.startsWith("/data/swipe.npy"));
    await settled();
    assert.equal(await page.locator("#cancel").isVisible(), false);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-button").click()]);
    assert.equal(download.suggestedFilename(), "slice.npy");
  } finally {
    pass();
    await page.unroute("**/hanging.npy");
  }
});

await test("a download that fails says so, also of damage that is shown already", async () => {
  for (const [path, content] of await damagedZarr()) data.set(`unsaved/${path}`, Buffer.from(content));
  await visit("unsaved/");
  await page.locator("#slice").fill("...");
  await page.locator("#save-form button").click();
  await page.waitForFunction(() => document.getElementById("problems").innerText.includes("not saved: "));
  assert.equal(await text("#status"), "not saved");
});

await test("the mouse moves the window, and the wheel zooms", async () => {
  const items = Float32Array.from({ length: 1200 * 1000 }, (_, at) => at);
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1200, 1000), }".padEnd(117) + "\n";
  data.set("wide.npy", Buffer.concat([Buffer.from("\x93NUMPY\x01\x00v\x00", "latin1"), Buffer.from(header), Buffer.from(items.buffer)]));
  await visit("wide.npy");
  assert.equal(await page.locator("#slice").inputValue(), "0:1200:3,0:1000:2");
  const canvas = page.locator("#panel canvas").first();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.mouse.wheel(0, -100);
  await page.waitForFunction(() => /^\d+:\d+:2,\d+:\d+$/.test(document.getElementById("slice").value));
  await settled();
  const before = await page.locator("#slice").inputValue();
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((old) => document.getElementById("slice").value !== old, before);
  await settled();
  const start = (slice) => slice.split(",").map((range) => Number(range.split(":")[0]));
  const [[oldRow, oldColumn], [row, column]] = [start(before), start(await page.locator("#slice").inputValue())];
  assert.ok(row < oldRow && column < oldColumn, `${before} to ${row},${column}`);
});

await test("zooming keeps the selected item", async () => {
  const readout = () => page.locator("#panel .readout[role=status]").innerText();
  const press = async (keys) => {
    for (const key of keys) {
      const before = await page.locator("#slice").inputValue();
      await page.keyboard.press(key);
      if (key === "+" || key === "-") await page.waitForFunction((old) => document.getElementById("slice").value !== old, before);
      await settled();
    }
  };
  data.set("plane.npy", npyOf("<f4", [300, 400], Float32Array.from({ length: 300 * 400 }, (_, at) => at)));
  await visit("plane.npy");
  await page.locator("#panel canvas").first().focus();
  await press([...Array(7).fill("ArrowDown"), ...Array(5).fill("ArrowRight")]);
  for (const keys of ["+++", "-", "--"]) {
    await press(keys);
    assert.equal(await readout(), "[7, 5] = 2805", keys);
  }
  data.set("line.npy", npyOf("<f4", [100], Float32Array.from({ length: 100 }, (_, at) => 2 * at)));
  await visit("line.npy");
  await page.locator("#panel canvas").first().focus();
  await press(["End", "ArrowLeft"]);
  for (const keys of ["+++", "-", "--"]) {
    await press(keys);
    assert.equal(await readout(), "[98] = 196", keys);
  }
});

await test("a line plot moves by keys and by the mouse, and has whole labels", async () => {
  data.set("long.npy", npyOf("<f8", [100_000], Float64Array.from({ length: 100_000 }, (_, at) => at * 1e7)));
  await visit("long.npy");
  const slice = async () => (await page.locator("#slice").inputValue()).split(":").map(Number);
  const canvas = page.locator("#panel canvas").first();
  await canvas.focus();
  for (let zoom = 0; zoom < 4; zoom++) await page.keyboard.press("+");
  await page.waitForFunction(() => document.getElementById("slice").value !== "0:100000");
  await settled();
  const [start, stop] = await slice();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForFunction((before) => document.getElementById("slice").value !== before, `${start}:${stop}`);
  await settled();
  const half = Math.round((stop - start) / 2);
  assert.deepEqual(await slice(), [start + half, stop + half]);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 200, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((before) => Number(document.getElementById("slice").value.split(":")[0]) < before, start + half);
});

await test("the map of chunks reads chunks under the pointer", async () => {
  await visit("frames/frames/b2nd_034_f8_5x6x7.sframe/");
  await page.locator("#map-body canvas").hover({ position: { x: 50, y: 10 } });
  assert.match(await page.locator("#map-body .readout").last().innerText(), /^Chunk 2: zstd after shuffle/);
  assert.match(await text("#map-body .legend"), /zstd: 8/);
});

await test("another colour scheme is painted on the canvases that are shown, and on no others", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await visit("frames/frames/b2nd_033_f8_13x17.b2nd");
  for (let turn = 0; turn < 4; turn++) {
    for (const name of ["Values", "Heat map"]) await page.getByRole("tab", { name }).click();
    await settled();
  }
  await page.evaluate(() => {
    window.painted = [];
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (...args) {
      window.painted.push(this);
      return getContext.apply(this, args);
    };
  });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => [...document.querySelectorAll("canvas")].every((canvas) => window.painted.includes(canvas)));
  const counts = await page.evaluate(() => [new Set(window.painted.filter((canvas) => canvas.getAttribute("role") !== null)).size, document.querySelectorAll("canvas").length]);
  assert.equal(counts[0], counts[1]);
  await page.emulateMedia({ colorScheme: null });
});

await end();
