// Compiles the server and bundles the console to dist/, unless dist/ is already what the sources say. Every script that
// starts something runs this first, so it answers at once when there is nothing to do, and any number of them may start at the same moment:
// one compiles, the others wait for it. It never writes to stdout, which belongs to the program that comes after it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "dist");
const lockFile = path.join(dist, ".lock");
const lockWaitSeconds = 180;

const compiled = [
  "embedded-postgres",
  "terminal",
  "contract-types",
  "pki",
  "domain",
  "runtime",
  "db",
  "process",
  "api",
  "worker",
  "operator",
  "cli",
  "start.ts",
];
/** Read by the compiled service as they are; they lie below dist/ where they lie here. */
const copied = ["docs/guides"];
const settings = ["tsconfig.json", "tsconfig.build.json", "package-lock.json", "build.mjs"];

/** What is built, each part when its own inputs have changed. `main` is a file that is there once it has been built. */
const parts = [
  {
    name: "the service",
    main: "start.js",
    stampFile: path.join(dist, ".stamp"),
    inputs: () => [...sources(), ...copiedFiles(), ...settings],
    isComplete: () => lostOutputs().length === 0,
    build: compileServer,
  },
  {
    name: "the console",
    main: "console/index.html",
    stampFile: path.join(dist, ".console-stamp"),
    inputs: () => [...filesBelow(root, "console"), ...settings],
    isComplete: () => fs.existsSync(path.join(dist, "console/index.html")),
    build: bundleConsole,
  },
];

// `node build.mjs --console` leaves the service as it is, for who runs that from source.
const wanted = process.argv.includes("--console") ? parts.slice(1) : parts;
if (!wanted.every(isFresh)) {
  await lock();
  // The process that held the lock before has probably done the work.
  for (const part of wanted) if (!isFresh(part)) build(part);
}

/** The stamp was made from exactly these inputs, and no output has gone missing since. */
function isFresh({ stampFile, inputs, isComplete }) {
  return readIfThere(stampFile) === fingerprint(inputs()) && isComplete();
}

function build(part) {
  if (find("typescript/bin/tsc") === undefined) {
    // Installed without development dependencies: what was built before is what there is.
    if (fs.existsSync(path.join(dist, part.main))) return;
    fail("Nothing has been built and there is no compiler. Run `npm ci` with development dependencies.");
  }

  process.stderr.write(`Building ${part.name} …\n`);
  const inputs = fingerprint(part.inputs());
  fs.rmSync(part.stampFile, { force: true });
  part.build();
  // A source that was saved during the build does not match this stamp, so the next start builds again.
  fs.writeFileSync(`${part.stampFile}.new`, inputs);
  fs.renameSync(`${part.stampFile}.new`, part.stampFile);
}

function compileServer() {
  // The compiler remembers what it has written and does not look whether it is still there.
  if (lostOutputs().length > 0) fs.rmSync(path.join(dist, ".tsbuildinfo"), { force: true });
  run(find("typescript/bin/tsc"), ["-p", "tsconfig.build.json"]);
  removeOrphans();
  for (const name of copied) replaceFolder(name);
}

function bundleConsole() {
  const vite = path.join(path.dirname(find("vite/package.json")), "bin/vite.js");
  run(vite, ["build", "--config", "console/vite.config.ts", "--logLevel", "warn"]);
  // Compressed once here rather than for every browser.
  for (const name of filesBelow(dist, "console/assets").filter((file) => /\.(?:js|css|json)$/.test(file))) {
    const file = path.join(dist, name);
    fs.writeFileSync(`${file}.gz`, gzipSync(fs.readFileSync(file), { level: 9 }));
  }
}

function run(program, parameters) {
  const { status, error } = spawnSync(process.execPath, [program, ...parameters], {
    cwd: root,
    stdio: ["ignore", process.stderr.fd, process.stderr.fd],
  });
  if (error) throw error;
  if (status !== 0) fail("The build failed.");
}

/** Names, sizes and times of inputs, so that nothing needs to be read. */
function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const name of inputs) {
    const { size, mtimeNs } = fs.statSync(path.join(root, name), { bigint: true });
    hash.update(`${name}\0${String(size)}\0${String(mtimeNs)}\n`);
  }
  return hash.digest("hex");
}

function sources() {
  return compiled.flatMap((name) => filesBelow(root, name)).filter((name) => /(?<!\.d)\.tsx?$/.test(name));
}

function copiedFiles() {
  return copied.flatMap((name) => filesBelow(root, name));
}

function lostOutputs() {
  const outputs = [...sources().map(outputOf), ...copiedFiles()];
  return outputs.filter((name) => !fs.existsSync(path.join(dist, name)));
}

/** Outputs whose source was deleted or renamed; a running program must not find them. */
function removeOrphans() {
  const wanted = new Set(sources().map(outputOf));
  for (const name of compiled.flatMap((folder) => filesBelow(dist, folder))) {
    if (!wanted.has(name.replace(/\.map$/, ""))) fs.rmSync(path.join(dist, name));
  }
}

function replaceFolder(name) {
  fs.rmSync(path.join(dist, name), { recursive: true, force: true });
  fs.cpSync(path.join(root, name), path.join(dist, name), { recursive: true });
}

function outputOf(source) {
  return source.replace(/\.tsx?$/, ".js");
}

function filesBelow(base, name) {
  const found = path.join(base, name);
  const kind = fs.statSync(found, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (!kind.isDirectory()) return [name];
  return fs
    .readdirSync(found)
    .sort()
    .flatMap((entry) => filesBelow(base, `${name}/${entry}`));
}

function find(file) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return undefined;
  }
}

/** Waits until this process is the only one that builds. The lock goes with the process, however it ends. */
async function lock() {
  fs.mkdirSync(dist, { recursive: true });
  // Linking a finished file makes lock and owner appear in one step.
  const ownLock = `${lockFile}.${String(process.pid)}`;
  fs.writeFileSync(ownLock, String(process.pid));
  process.on("exit", () => {
    fs.rmSync(ownLock, { force: true });
    if (readIfThere(lockFile) === String(process.pid)) fs.rmSync(lockFile);
  });

  for (let waited = 0; ; waited += 0.1) {
    try {
      fs.linkSync(ownLock, lockFile);
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    breakIfAbandoned();
    if (waited > lockWaitSeconds) fail(`Another build does not end. If there is none, delete ${lockFile}.`);
    await delay(100);
  }
}

/** Removes the lock of a process that is gone. Only one process at a time may do so, or it might remove a new lock. */
function breakIfAbandoned() {
  if (isAlive(readIfThere(lockFile))) return;
  const turn = `${lockFile}-breaking`;
  try {
    fs.mkdirSync(turn);
  } catch {
    return;
  }
  try {
    if (!isAlive(readIfThere(lockFile))) fs.rmSync(lockFile, { force: true });
  } finally {
    fs.rmdirSync(turn);
  }
}

function isAlive(pid) {
  if (pid === undefined) return true; // Just released: try again.
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
