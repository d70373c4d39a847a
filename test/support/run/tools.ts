import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

/** The package of each tool, for the message about a missing one (Debian and Ubuntu package names). */
const packageOf: Record<string, string> = {
  openssl: "openssl",
  certtool: "gnutls-bin",
  pk12util: "libnss3-tools",
  certutil: "libnss3-tools",
  vfychain: "libnss3-tools",
  keytool: "default-jre-headless",
  java: "default-jdk-headless",
  javac: "default-jdk-headless",
  freeradius: "freeradius",
  radclient: "freeradius-utils",
  eapol_test: "eapoltest",
  redis: "redis-server",
  "redis-server": "redis-server",
  chromium: "chromium",
  "chromium-headless-shell": "chromium-headless-shell",
  xmllint: "libxml2-utils",
  nmcli: "network-manager",
  NetworkManager: "network-manager",
  "libell.so.0": "libell0",
  "systemd-analyze": "systemd",
  "systemd-run": "systemd",
  "dbus-daemon": "dbus",
  busctl: "systemd",
  unshare: "util-linux",
  curl: "curl",
  python3: "python3",
  nginx: "nginx-light",
  faketime: "faketime",
  pg_createcluster: "postgresql",
  ip: "iproute2",
  pkill: "procps",
  ruby: "ruby",
  omniauth_openid_connect: "ruby-omniauth-openid-connect",
  webrick: "ruby-webrick",
  promtool: "prometheus",
  pgbouncer: "pgbouncer",
};

/**
 * Returns the full path of a program, looked up in `path` as a shell would; undefined if `path` does not contain the
 * program.
 */
export function findTool(name: string, path: string = process.env["PATH"] ?? ""): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutableFile);
}

/**
 * Returns the full path of a program that a test cannot do without. Throws with its name and package if it is missing.
 */
export function requireTool(name: string): string {
  const tool = findTool(name);
  if (tool === undefined) throw new Error(whatIsMissing([name]));
  return name === "python3" ? (python ??= chosenPython(tool)) : tool;
}

let python: string | undefined;

/** Returns the Python that `python3` runs: the wrapper scripts of version managers take more time than our programs. */
function chosenPython(tool: string): string {
  const { stdout } = spawnSync(tool, ["-I", "-S", "-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return stdout.trim() || tool;
}

/**
 * A `describe` block that needs third-party programs. If a program is missing, the block is skipped on a developer's
 * machine, with the program's name on stderr and in the report. If `CI` is set, the block fails instead, so an
 * incomplete machine is never mistaken for a passing test. `redis` stands for the Redis that global-setup found,
 * wherever it runs, `root` for the right to run processes as other users, and `booted machine` for the right to boot a
 * systemd in namespaces.
 */
export function describeWithTool(tools: string | readonly string[], name: string, block: () => void): void {
  const missing = [tools].flat().filter((tool) => !isThere(tool));
  describeUnless(missing.length === 0 ? undefined : whatIsMissing(missing), name, block);
}

/** A `describe` block that needs an earlier commit of this repository, which a shallow clone lacks. */
export function describeWithCommit(commit: string, name: string, block: () => void): void {
  const { status } = spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { stdio: "ignore" });
  describeUnless(status === 0 ? undefined : `this clone has no commit ${commit.slice(0, 7)}`, name, block);
}

function describeUnless(missing: string | undefined, name: string, block: () => void): void {
  if (missing === undefined) {
    describe(name, block);
    return;
  }
  if (process.env["CI"]) {
    test(`${name} (${missing})`, () => {
      throw new Error(missing);
    });
    return;
  }
  process.stderr.write(`SKIPPED, ${missing}: ${name}\n`);
  describe.skip(`${name} (SKIPPED, ${missing})`, block);
}

const rubyLibraries: ReadonlySet<string> = new Set(["omniauth_openid_connect", "webrick"]);

const isThere = (tool: string): boolean => {
  if (tool === "root") return process.getuid?.() === 0;
  if (tool === "booted machine") {
    return spawnSync("bash", ["test/support/deploy/booted-machine.sh", "--can"], { stdio: "ignore" }).status === 0;
  }
  if (tool === "libell.so.0") {
    return (
      spawnSync(requireTool("python3"), ["-c", `import ctypes; ctypes.CDLL("${tool}")`], { stdio: "ignore" }).status ===
      0
    );
  }
  if (rubyLibraries.has(tool)) return spawnSync("ruby", ["-e", `require "${tool}"`], { stdio: "ignore" }).status === 0;
  return tool === "redis" ? process.env["TEST_REDIS_URL"] !== undefined : findTool(tool) !== undefined;
};

const whatIsMissing = (tools: readonly string[]): string =>
  tools
    .map((tool) => {
      if (tool === "root") return "the tests do not run as root";
      if (tool === "booted machine") return "no systemd can be booted in namespaces here";
      return `${tool} is not installed${packageOf[tool] === undefined ? "" : ` (package ${packageOf[tool]})`}`;
    })
    .join(", ");

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
