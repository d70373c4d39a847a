// Prints the state of the units once docs/production.md has been followed on a machine booted by systemd, as one line
// of JSON. Runs on that machine.
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import { eventually, givenClient, isWell, operatorJson } from "./service.mjs";

const found = {};
const systemctl = (...args) => spawnSync("systemctl", args, { encoding: "utf8" });
const show = (unit, property) => systemctl("show", "--value", `--property=${property}`, unit).stdout.trim();
const journal = (...args) => {
  const text = execFileSync("journalctl", ["--quiet", "--output=cat", ...args], { encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
};
const servers = ["api@3000", "api@3001", "worker@1", "worker@2", "responder@4000", "responder@4001"];
const timers = ["doctor.timer", "backup.timer", "audit-export.timer", "copy.timer"];
const states = (names) => names.map((name) => show(`realmpass-${name}`, "ActiveState"));

/** Starts a unit that ends by itself. */
function run(name) {
  const { status } = systemctl("start", name);
  return { status, result: show(name, "Result") };
}

/** Runs the doctor once by its unit; returns how it ended, and its findings by kind. */
function examine() {
  const outcome = run("realmpass-doctor.service");
  const lines = journal(`_SYSTEMD_INVOCATION_ID=${show("realmpass-doctor.service", "InvocationID")}`);
  const named = (start) => lines.filter((line) => line.startsWith(start));
  const ofProcesses = lines.findIndex((line) => line.startsWith("fail  processes:"));
  const remedy = ofProcesses === -1 ? "" : lines[ofProcesses + 1].trim();
  return {
    ...outcome,
    fails: named("fail"),
    disk: named("ok    disk:"),
    queue: named("ok    queue:"),
    warns: named("warn"),
    remedy,
  };
}

/** The unit that runs after the doctor has failed. `caught` resolves once that unit has run another time. */
const catcher = "realmpass-failed@realmpass-doctor.service";
let last = show(catcher, "InvocationID");
async function caught() {
  if (show(catcher, "LoadState") === "not-found") return "not there";
  await eventually(`${catcher} to end`, () => {
    const id = show(catcher, "InvocationID");
    return id !== last && !/activating/.test(show(catcher, "ActiveState"));
  });
  last = show(catcher, "InvocationID");
  return show(catcher, "Result");
}

await isWell();
found.enabled = states([...servers, ...timers]);
// Stops everything as docs/backup.md does.
systemctl("stop", "realmpass.target", "realmpass-*");
found.stopped = states([...servers, ...timers]);
systemctl("start", "realmpass.target");
found.started = states([...servers, ...timers]);
await isWell();
// From here on, only the units that this script starts run.
for (const name of timers) systemctl("stop", `realmpass-${name}`);

found.backup = run("realmpass-backup.service");
found.export = run("realmpass-audit-export.service");
// Without a program, nothing is copied; a failing program is reported; a working program reads all copies, but no
// secret.
const evidence = "/var/lib/realmpass-backup/copied";
const copy = (...lines) => {
  if (lines.length > 0) {
    fs.writeFileSync("/etc/realmpass/copy-away", ["#!/bin/sh -eu", ...lines, ""].join("\n"));
    fs.chmodSync("/etc/realmpass/copy-away", 0o755);
  }
  return { ...run("realmpass-copy.service"), copied: fs.existsSync(evidence) };
};
found.copies = {
  without: copy(),
  failing: copy('cat "$1"/*.dump "$2"/*.ndjson /missing'),
  seeing: copy("cat /etc/realmpass/credentials/api/database-password"),
  writing: copy('echo >"$1/realmpass-1.dump"'),
  good: copy('cat "$1"/*.dump "$2"/*.ndjson >/tmp/copy', "[ -s /tmp/copy ]"),
};
found.dumps = fs
  .readdirSync("/var/lib/realmpass-backup")
  .filter((name) => name !== "copied")
  .map((name) => name.replace(/\d/g, "0"));
// By now the timer may have written another export.
const exported = fs.readdirSync("/var/lib/realmpass-operator/audit").map((name) => name.replace(/\d/g, "0"));
found.exports = [...new Set(exported)];
// A head file that only root can read.
const head = spawnSync("realmpass-operator", ["audit", "head", "--json"], { encoding: "utf8" });
fs.writeFileSync("/root/head.json", head.stdout, { mode: 0o600 });
const verified = spawnSync("realmpass-operator", ["audit", "verify", "--public-key", "/root/head.json"], {
  encoding: "utf8",
});
found.ofRoot = [verified.status, verified.status === 0 ? "" : head.stderr + verified.stdout + verified.stderr];
found.named = journal("--identifier=realmpass-api@3000").length > 0;
found.well = examine();
found.loggedWhileWell = journal(`--unit=${catcher}`);

const responders = servers.filter((name) => name.startsWith("responder")).map((name) => `realmpass-${name}`);
for (const name of responders) systemctl("stop", name);
found.without = examine();
found.withoutProgram = await caught();
found.errors = journal("--priority=err..err", `--unit=${catcher}`, "_TRANSPORT=stdout");

const program = '#!/bin/sh\nlogger --tag heard "$1 as $(id -un) ${CREDENTIALS_DIRECTORY:-without secrets}"\n';
fs.writeFileSync("/etc/realmpass/on-failure", program, { mode: 0o755 });
fs.chmodSync("/etc/realmpass/on-failure", 0o755);
examine();
found.withProgram = await caught();
found.heard = journal("--identifier=heard");

// Runs the commands that the doctor names as the remedy.
const [starting, ...logs] = [...found.without.remedy.matchAll(/`([^`]+)`/g)].map(([, command]) => command);
const shell = (command) => spawnSync("sh", ["-c", command ?? "exit 1"], { encoding: "utf8" });
found.remedied = [
  shell(starting).status,
  ...logs.map((command) => shell(command).stdout.includes("realmpass-responder")),
];
await isWell();
found.mended = examine();

// Moves the queue to PostgreSQL with the page's commands, at first without the command that copies the drop-ins.
const commands = fs.readFileSync("/mnt/without-redis.sh", "utf8").split("\n");
const movesQueue = ["api@3000", "api@3001", "worker@1", "worker@2"].map((name) => `realmpass-${name}`);
const restart = (names) => execFileSync("systemctl", ["restart", ...names]);
const enter = (lines) => execFileSync("bash", ["-eu", "-c", lines.join("\n")]);
enter(commands.filter((command) => !command.startsWith("cp ")));
const alone = ["realmpass-api@3001", "realmpass-worker@2"];
restart(alone);
found.inPostgres = { refused: [] };
for (const name of alone) {
  await eventually(`the end of ${name}`, () => show(name, "ActiveState") === "failed");
  found.inPostgres.refused.push(`failed ${show(name, "ExecMainStatus")}`);
}
enter(commands);
systemctl("stop", "redis-server");
restart(movesQueue);
await isWell();
const { api } = await givenClient("queue");
const { userID } = operatorJson("user", "create", "--username", "queue");
const wanted = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
const { data: issued } = await api("POST", `/api/user/${userID}/profiles/phone`, wanted);
Object.assign(found.inPostgres, {
  redis: show("redis-server", "ActiveState"),
  issued: new X509Certificate(issued.certificate).fingerprint256,
  doctor: examine(),
});

// The operator's directory, on a disk of 64 MiB.
const directory = "/var/lib/private/realmpass-operator";
const { uid, gid } = fs.statSync(directory);
execFileSync("mount", ["-t", "tmpfs", "-o", `size=64m,mode=700,uid=${uid},gid=${gid}`, "tmpfs", directory]);
found.full = examine();

process.stdout.write(`\nFOUND ${JSON.stringify(found)}\n`);
