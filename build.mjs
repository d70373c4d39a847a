// Bundles the service and the console to dist/, unless dist/ is up to date. Every script that starts a program runs
// this first, so it returns immediately if there is nothing to do. Several scripts can start it at the same moment: one
// builds, the others wait. It never writes to stdout, which belongs to the program that starts next.
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

/** The sources of the service. */
const sourceNames = [
  "embedded-postgres",
  "terminal",
  "pki",
  "domain",
  "runtime",
  "db",
  "process",
  "api",
  "worker",
  "responder",
  "operator",
  "cli",
  "start.ts",
];
/** The programs, and the threads that they start. The build writes each to the same path below dist/ as its source. */
const entries = [
  "start",
  "api/main",
  "worker/main",
  "worker/signing/thread",
  "worker/issuance/rsa-key-thread",
  "responder/main",
  "operator/main",
  "cli/main",
];
/**
 * Packages that stay in node_modules: they have native parts, or load other files from their own folder. Knex loads pg
 * itself, and the service must use that same pg. Everything else is bundled, because reading hundreds of files was most
 * of the cost of a start.
 */
const external = [/^@node-rs\//, /^@embedded-postgres\//, /^swagger-ui-dist/, /^knex/, /^pg(\/|$)/];
/** Files that the build copies unchanged, to the same paths below dist/. */
const copied = [
  "docs/guides",
  "docs/radius",
  "docs/operations.md",
  "docs/secrets.md",
  "docs/realms.md",
  "docs/health.md",
  "docs/replacing-cas.md",
  "docs/reference.md",
  "docs/upgrade.md",
];
const settings = ["tsconfig.json", "package-lock.json", "build.mjs"];

/** The parts of the build; each is built if its own inputs have changed or an output is missing. */
const service = {
  name: "the service",
  stampFile: path.join(dist, ".stamp"),
  inputs: () => [...sources(), ...copied.flatMap((name) => filesBelow(root, name)), ...settings],
  build: bundleService,
};
const consoleApp = {
  name: "the console",
  stampFile: path.join(dist, ".console-stamp"),
  inputs: () => ["console", "domain"].flatMap((name) => filesBelow(root, name)).concat(settings),
  build: bundleConsole,
};
/** For `tsc` and the tools that check sources, with `--types`; bundles contain no types. */
const apiTypes = {
  name: "the types of the API",
  stampFile: path.join(dist, ".types-stamp"),
  inputs: () => ["docs/openapi.json", ...settings],
  build: writeApiTypes,
};

/** `--console` does not build the service, for developers who run it from source. */
const choices = { "--console": [consoleApp], "--types": [apiTypes] };
const wanted = choices[process.argv[2]] ?? [service, consoleApp];
if (!wanted.every(isFresh)) {
  await lock();
  // The process that held the lock has probably built the parts.
  for (const part of wanted) if (!isFresh(part)) await build(part);
}

/** Returns true if the stamp was made from exactly these inputs, and every output still exists. */
function isFresh(part) {
  const [inputs, ...outputs] = stampOf(part);
  return inputs === fingerprint(part.inputs()) && areThere(outputs);
}

/** Returns the fingerprint of the last build's inputs, then the names of its outputs. */
function stampOf({ stampFile }) {
  return (readIfThere(stampFile) ?? "").split("\n");
}

function areThere(outputs) {
  return outputs.length > 0 && outputs.every((name) => fs.existsSync(path.join(dist, name)));
}

async function build(part) {
  if (find("vite/package.json") === undefined) {
    // Installed without development dependencies: uses the earlier build, even of another version.
    if (areThere(stampOf(part).slice(1))) {
      process.stderr.write(
        `dist/ contains ${part.name} built from other sources, and the build tools are not installed.\n`,
      );
      return;
    }
    fail("Nothing has been built, and the build tools are not installed. Run `npm ci` with development dependencies.");
  }

  process.stderr.write(`Building ${part.name} …\n`);
  const inputs = fingerprint(part.inputs());
  fs.rmSync(part.stampFile, { force: true });
  const outputs = await part.build();
  // A source that was saved during the build does not match this stamp, so the next start builds again.
  fs.writeFileSync(`${part.stampFile}.new`, [inputs, ...outputs].join("\n"));
  fs.renameSync(`${part.stampFile}.new`, part.stampFile);
}

async function bundleService() {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
    external,
    tsconfig: "tsconfig.json",
  }).catch(buildFailed);
  const { output } = await bundle
    .write({
      dir: dist,
      entryFileNames: "[name].js",
      // One folder deep, as `programFile` of runtime/program-files.ts expects.
      chunkFileNames: "chunks/[name]-[hash].js",
      sourcemap: true,
      keepNames: true,
    })
    .catch(buildFailed);
  await bundle.close();
  for (const name of copied) replaceFolder(name);
  const outputs = [...output.map(({ fileName }) => fileName), ...copied.flatMap((name) => filesBelow(dist, name))];
  removeAllBut(outputs);
  return outputs;
}

function bundleConsole() {
  const vite = path.join(path.dirname(find("vite/package.json")), "bin/vite.js");
  run(vite, ["build", "--config", "console/vite.config.ts", "--logLevel", "warn"]);
  // Compresses the files once here, so the api does not compress them for every browser.
  for (const name of filesBelow(dist, "console/assets").filter((file) => /\.(?:js|css|json)$/.test(file))) {
    const file = path.join(dist, name);
    fs.writeFileSync(`${file}.gz`, gzipSync(fs.readFileSync(file), { level: 9 }));
  }
  return filesBelow(dist, "console");
}

function writeApiTypes() {
  const generator = path.join(path.dirname(find("openapi-typescript/package.json")), "bin/cli.js");
  const file = "contract-types/api-types.ts";
  run(generator, ["docs/openapi.json", "--output", file]);
  return [path.relative(dist, path.join(root, file))];
}

function run(program, parameters) {
  const { status, error } = spawnSync(process.execPath, [program, ...parameters], {
    cwd: root,
    // If a shell or a test sets another value, the console would contain React's development build.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", process.stderr.fd, process.stderr.fd],
  });
  if (error) throw error;
  if (status !== 0) fail("The build failed.");
}

function buildFailed(error) {
  process.stderr.write(`${error.message}\n`);
  fail("The build failed.");
}

/** Returns a hash of the inputs' names, sizes and times, so the build does not read the inputs themselves. */
function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const name of inputs) {
    const { size, mtimeNs } = fs.statSync(path.join(root, name), { bigint: true });
    hash.update(`${name}\0${String(size)}\0${String(mtimeNs)}\n`);
  }
  return hash.digest("hex");
}

function sources() {
  return sourceNames.flatMap((name) => filesBelow(root, name)).filter((name) => /(?<!\.d)\.tsx?$/.test(name));
}

/** Removes the outputs of an earlier build of the service, so a running program does not find them. */
function removeAllBut(outputs) {
  const wanted = new Set(outputs);
  for (const entry of fs.readdirSync(dist)) {
    if (entry === "console" || entry.startsWith(".")) continue;
    for (const name of filesBelow(dist, entry)) if (!wanted.has(name)) fs.rmSync(path.join(dist, name));
  }
}

function replaceFolder(name) {
  fs.rmSync(path.join(dist, name), { recursive: true, force: true });
  fs.cpSync(path.join(root, name), path.join(dist, name), { recursive: true });
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

/**
 * Waits until no other process is building, and takes the lock; ends this process with an error after
 * `lockWaitSeconds`. This process releases the lock when it exits.
 */
async function lock() {
  fs.mkdirSync(dist, { recursive: true });
  // Linking a finished file creates the lock and its owner in one step.
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
    breakIfAbandoned(ownLock);
    if (waited > lockWaitSeconds) fail(`Another build has not ended. If none is running, delete ${lockFile}.`);
    await delay(100);
  }
}

/**
 * Removes the lock of a dead process. Only the process that holds the turn removes a lock; without a turn, a process
 * might remove a new lock. If a process dies during its turn, the next process ends that turn.
 */
function breakIfAbandoned(ownLock) {
  if (isAlive(readIfThere(lockFile))) return;
  const turn = `${lockFile}.turn`;
  try {
    fs.linkSync(ownLock, turn);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isAlive(readIfThere(turn))) fs.rmSync(turn, { force: true });
    return;
  }
  try {
    if (!isAlive(readIfThere(lockFile))) fs.rmSync(lockFile, { force: true });
  } finally {
    fs.rmSync(turn, { force: true });
  }
}

function isAlive(pid) {
  if (pid === undefined) return true; // Another process has released the lock: try again.
  if (pid === String(process.pid)) return false; // An earlier process with this number left the lock.
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
