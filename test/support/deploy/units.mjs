// Does what systemd does with the units of deploy/systemd, as far as processes see it: `units.mjs systemctl …` and
// `units.mjs systemd-run …` start the units' commands with their user, directory, environment and credentials. Of the
// kernel's confinement it applies only users, capabilities and privileges; it does not restart a process that ends.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";

const unitDirectory = "/etc/systemd/system";
const runDirectory = "/run/units";

/** The services of Debian's packages, as their own units run them. */
const packaged = {
  "redis-server": {
    stop: ["sh", "-c", "pkill -x redis-server; while pgrep -x redis-server >/dev/null; do sleep 0.1; done"],
    start: ["runuser", "-u", "redis", "--", "redis-server", "/etc/redis/redis.conf", "--daemonize", "yes"],
  },
  nginx: { reload: ["nginx", "-s", "reload"] },
};

function systemctl([command, ...rest]) {
  if (command === "daemon-reload") return 0;
  const names = rest
    // Stopping the target stops everything that was started here.
    .filter((name) => !name.startsWith("--") && !name.includes("*"))
    .flatMap((name) => (name === "realmpass.target" && command !== "enable" ? everStarted() : [name]));
  for (const name of names) {
    const known = packaged[name];
    if (known !== undefined) {
      const steps = { restart: [known.stop, known.start], reload: [known.reload] }[command];
      for (const [program, ...args] of steps) {
        if (spawnSync(program, args, { stdio: "inherit" }).status !== 0) return fail(`${command} ${name} failed`);
      }
      continue;
    }
    const unit = readUnit(/\.(service|timer|target)$/.test(name) ? name : `${name}.service`);
    if (command === "enable" && !rest.includes("--now")) continue;
    if (command === "stop") stop(unit.name);
    else if (["start", "enable"].includes(command)) {
      const status = unit.name.endsWith(".service") ? start(unit) : 0;
      if (status !== 0) return fail(`${unit.name} failed: ${readLog(unit.name)}`);
    } else return fail(`systemctl ${command} is not known here`);
  }
  return 0;
}

function systemdRun(all) {
  const settings = {};
  let name = "";
  let at = 0;
  for (; all[at]?.startsWith("--"); at += 1) {
    const [, option, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(all[at]);
    if (option === "property") add(settings, ...split(value));
    else if (option === "unit") name = `${value}.service`;
    else if (!["quiet", "collect", "wait", "pipe", "pty", "service-type"].includes(option))
      return fail(`--${option} is not known here`);
  }
  // A transient unit also gets the drop-ins of its name; for settings with one value, the command line wins.
  const common = sections(dropIns(name));
  const unit = { name, settings: merged(common, settings) };
  const { status, signal } = run(unit, all.slice(at), { stdio: "inherit" });
  return status ?? fail(`ended by ${signal}`);
}

/** Reads a unit with its drop-ins: every setting is a list of its values, in order. */
function readUnit(name) {
  const [, prefix, instance] = /^([^@]+)(?:@(.*))?\.\w+$/.exec(name);
  const template = instance === undefined ? name : `${prefix}@.${name.split(".").pop()}`;
  const files = [path.join(unitDirectory, template), ...dropIns(name)];
  return { name, settings: sections(files), instance };
}

function dropIns(name) {
  const directory = path.join(unitDirectory, `${name.slice(0, name.indexOf("-") + 1)}.service.d`);
  return name.endsWith(".service")
    ? fs
        .readdirSync(directory)
        .sort()
        .map((file) => path.join(directory, file))
    : [];
}

function sections(files) {
  const settings = {};
  for (const file of files) {
    for (const line of fs.readFileSync(file, "utf8").split("\n")) {
      if (/^\s*([#;[]|$)/.test(line)) continue;
      add(settings, ...split(line));
    }
  }
  return settings;
}

const split = (text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];

function add(settings, key, value) {
  (settings[key] ??= []).push(value);
}

function merged(first, second) {
  const all = structuredClone(first);
  for (const [key, values] of Object.entries(second)) for (const value of values) add(all, key, value);
  return all;
}

/**
 * Starts a unit's command, and waits for the end of a `oneshot` unit. Returns the exit code of a `oneshot` unit,
 * otherwise 0.
 */
function start(unit) {
  const last = (key) => unit.settings[key]?.at(-1);
  const log = fs.openSync(logOf(unit.name), "a");
  const command = expand(last("ExecStart"), unit).split(" ");
  if (last("Type") === "oneshot") return run(unit, command, { stdio: ["ignore", log, log] }).status ?? 1;
  const { program, args, options } = prepare(unit, command);
  const child = spawn(program, args, { ...options, detached: true, stdio: ["ignore", log, log] });
  fs.writeFileSync(pidFileOf(unit.name), String(child.pid));
  child.unref();
  return 0;
}

function run(unit, command, how) {
  const { program, args, options } = prepare(unit, command);
  return spawnSync(program, args, { ...options, ...how });
}

function stop(name) {
  const pid = Number(fs.readFileSync(pidFileOf(name), "utf8"));
  process.kill(pid, "SIGTERM");
  while (fs.existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))) {
    spawnSync("sleep", ["0.1"]);
  }
}

/** Returns the services that stop with the target: all that were started here. */
const everStarted = () =>
  fs
    .readdirSync(runDirectory)
    .filter((file) => file.endsWith(".pid"))
    .map((file) => path.basename(file, ".pid"));

/** Prepares the unit's directories, files and environment, and the command that runs as its user. */
function prepare(unit, command) {
  const of = (key) => (unit.settings[key] ?? []).map((value) => expand(value, unit));
  const [user] = of("User").slice(-1);
  const uid = userId(user ?? unit.name);
  const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" };

  const credentials = credentialsOf(unit.name);
  fs.rmSync(credentials, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(credentials), { recursive: true });
  fs.mkdirSync(credentials, { mode: 0o700 });
  for (const credential of of("LoadCredential")) {
    const at = credential.indexOf(":");
    const file = path.join(credentials, credential.slice(0, at));
    fs.copyFileSync(credential.slice(at + 1), file);
    fs.chmodSync(file, 0o400);
    fs.chownSync(file, uid, uid);
  }
  fs.chownSync(credentials, uid, uid);
  env.CREDENTIALS_DIRECTORY = credentials;

  for (const name of of("StateDirectory")) {
    const directory = path.join("/var/lib", name);
    fs.mkdirSync(directory, { recursive: true });
    fs.chmodSync(directory, Number.parseInt(of("StateDirectoryMode")[0] ?? "0755", 8));
    fs.chownSync(directory, uid, uid);
    env.STATE_DIRECTORY = directory;
  }
  for (const line of of("Environment")) for (const setting of line.split(" ")) setInto(env, setting);
  for (const file of of("EnvironmentFile")) {
    for (const line of fs.readFileSync(file, "utf8").split("\n")) if (/^[A-Z]/.test(line)) setInto(env, line);
  }

  const held = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--clear-groups"];
  return {
    program: "setpriv",
    args: [`--reuid=${uid}`, `--regid=${uid}`, ...held, ...command],
    options: { cwd: of("WorkingDirectory").at(-1), env },
  };
}

function setInto(env, setting) {
  const [name, value] = split(setting);
  env[name] = value;
}

function expand(text, { name, instance }) {
  const values = { i: instance, d: credentialsOf(name), S: "/var/lib", "%": "%" };
  return text.replace(/%(.)/g, (whole, letter) => values[letter] ?? fail(`${name}: ${whole} is not known here`));
}

/** Returns the id of a system user, or of a dynamic user, whose id follows from the name. */
function userId(name) {
  const line = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  if (line !== undefined) return Number(line.split(":")[2]);
  return 61_184 + (createHash("sha256").update(name).digest().readUInt16BE() % 4_000);
}

const safe = (name) => name.replaceAll("/", "-");
const credentialsOf = (name) => `/run/credentials/${safe(name)}`;
const logOf = (name) => path.join(runDirectory, `${safe(name)}.log`);
const pidFileOf = (name) => path.join(runDirectory, `${safe(name)}.pid`);
const readLog = (name) => fs.readFileSync(logOf(name), "utf8").split("\n").slice(-20).join("\n");

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [manager, ...parameters] = process.argv.slice(2);
fs.mkdirSync(runDirectory, { recursive: true });
process.exitCode = manager === "systemctl" ? systemctl(parameters) : systemdRun(parameters);
