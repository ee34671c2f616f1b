// Firefox by its Marionette protocol, which every Firefox has: JSON over TCP, with the length before each message.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Settings of the profile: no requests of its own. */
const SETTINGS = {
  "app.normandy.enabled": false,
  "browser.safebrowsing.downloads.remote.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage": "about:blank",
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** Connects to Firefox, which takes a while to listen. */
async function connected(port, process) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (process.exitCode !== null) throw new Error(`Firefox ended with the code ${process.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return socket;
    } catch {
      await wait(100);
    }
  }
  throw new Error("Firefox does not listen");
}

/** Splits a stream into messages. */
function messages(socket, take) {
  let bytes = Buffer.alloc(0);
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const colon = bytes.indexOf(":");
      const length = Number(bytes.subarray(0, Math.max(0, colon)));
      if (colon < 0 || bytes.length < colon + 1 + length) return;
      const text = bytes.subarray(colon + 1, colon + 1 + length).toString();
      bytes = bytes.subarray(colon + 1 + length);
      take(JSON.parse(text));
    }
  });
}

/** Starts Firefox without a window and with a new profile. `close` ends it and removes the profile. */
export async function launchFirefox(program) {
  const profile = mkdtempSync(join(tmpdir(), "blpk-firefox-"));
  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, "marionette.port": port });
  writeFileSync(join(profile, "user.js"), settings.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
  const firefox = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: "ignore" });
  const ended = once(firefox, "exit");
  const socket = await connected(port, firefox);
  const waiting = new Map();
  let next = 0;
  messages(socket, (message) => {
    // The first message says the version of the protocol.
    if (!Array.isArray(message)) return;
    const [, id, error, result] = message;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(`${error.error}: ${error.message}`));
    else resolve(result);
  });
  const command = (name, parameters = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++next, { resolve, reject });
      const text = JSON.stringify([0, next, `WebDriver:${name}`, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  const { capabilities } = await command("NewSession", { acceptInsecureCerts: false });
  return {
    version: capabilities.browserVersion,
    command,
    goto: (url) => command("Navigate", { url }),
    /** Runs a function in the page, which may return a promise. */
    evaluate: async (run, ...args) => {
      const script = `const [done, ...args] = [arguments[arguments.length - 1], ...[...arguments].slice(0, -1)]; Promise.resolve((${run})(...args)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value } = await command("ExecuteAsyncScript", { script, args, scriptTimeout: 30_000 });
      if (value.error !== undefined) throw new Error(value.error);
      return value.value;
    },
    close: async () => {
      socket.end();
      firefox.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
