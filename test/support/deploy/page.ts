import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { atEndOfFile } from "../run/at-end.ts";

/** Packs the release of this tree into a directory. */
export function packRelease(directory: string): void {
  mkdirSync(directory, { recursive: true });
  execFileSync(process.execPath, ["release.mjs", "--uncommitted", "--out", directory], { stdio: "pipe" });
}

/**
 * The machine before docs/production.md begins: it has a name, a certificate for it, and a Postgres that was never
 * started.
 */
export const barePlace = `
rm -rf /opt/realmpass /etc/realmpass
echo "127.0.0.1 wifi.example.org" >>/etc/hosts
mkdir -p /etc/realmpass/tls
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=wifi.example.org \\
  -addext subjectAltName=DNS:wifi.example.org -keyout /etc/realmpass/tls/privkey.pem -out /etc/realmpass/tls/fullchain.pem 2>/dev/null
export NODE_EXTRA_CA_CERTS=/etc/realmpass/tls/fullchain.pem
rm -rf /var/lib/postgresql/* /etc/postgresql/* /var/lib/redis/* /etc/nginx/sites-enabled/default
version=$(ls /usr/lib/postgresql | sort -n | tail -1)
pg_createcluster "$version" main --port 5432 >/dev/null
`;

/** Starts the services of Debian's packages without systemd. */
export const startPackages = `
pg_ctlcluster "$version" main start
runuser -u redis -- redis-server /etc/redis/redis.conf --daemonize yes >/dev/null
nginx
`;

/** Returns commands that enter the directory of a release and set `release` to the release's name. */
export const named = (release: string): string => `
cd "${release}"
release=$(basename realmpass-*.tar.gz .tar.gz)
`;

/** Adds a wait until the service is ready before the doctor runs: a person takes that long to read on. */
export const asRun = (block: string): string =>
  block.includes("realmpass-operator doctor")
    ? `for left in $(seq 600); do curl -fsS --cacert /etc/realmpass/tls/fullchain.pem https://wifi.example.org/readyz >/dev/null 2>&1 && break; sleep 0.1; done\n(${block}) || true`
    : block;

/** Runs one of the programs of test/support/deploy that provide a machine. Resolves with the output of its script. */
export function runOnMachine(machine: "machine.sh" | "booted-machine.sh", args: readonly string[]): Promise<string> {
  const child = spawn(resolve("test/support/deploy", machine), args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const closed = new Promise<number | null>((done) => child.once("close", done));
  atEndOfFile(async () => {
    // The booted machine has a group of processes to remove. The other machine ends with its first process, which
    // ignores SIGTERM.
    child.kill(machine === "machine.sh" ? "SIGKILL" : "SIGTERM");
    await closed;
  });
  return closed.then((code) => {
    if (code === 0) return out;
    throw new Error(`the script on ${machine} ended with ${String(code)}:\n${out.slice(-12_000)}`);
  });
}
