import type { ProcessKind } from "../../domain/process.ts";
import type { Context } from "./context.ts";

/** How the service was started; `hand` if the doctor's environment does not show it. */
export type Way = "npm start" | "systemd" | "compose" | "hand";

/**
 * Returns how the service was started: only `npm start` has an embedded database, only systemd units hand over
 * credentials (systemd.exec(5), CREDENTIALS_DIRECTORY), and the image sets `container`, as systemd's images do.
 */
export function wayOf({ config, env }: Pick<Context, "config" | "env">): Way {
  if (config.DATABASE_URL === undefined) return "npm start";
  if (env["CREDENTIALS_DIRECTORY"] !== undefined) return "systemd";
  return env["container"] === undefined ? "hand" : "compose";
}

const again = "Stop `npm start` and start it again";

const unitsOf = (kinds: readonly ProcessKind[], between = " "): string =>
  kinds.map((kind) => `'realmpass-${kind}@*'`).join(between);

/** Returns the remedy for missing processes: the command that starts them, and where to find out why they ended. */
export function startRemedy(way: Way, kinds: readonly ProcessKind[]): string {
  switch (way) {
    case "npm start":
      return `${again}; the last lines of its log have the reason.`;
    case "systemd":
      return `Run \`systemctl start realmpass.target\`. ${reasonOf(way, kinds)}`;
    case "compose":
      return `Run \`docker compose up -d --no-deps ${kinds.join(" ")}\`. ${reasonOf(way, kinds)}`;
    case "hand":
      return `Start what is missing: \`npm start\`, or ${kinds.map((kind) => `\`npm run ${kind}\``).join(" and ")}. ${reasonOf(way, kinds)}`;
  }
}

/** Returns where to find out why processes ended. */
export function reasonOf(way: Way, kinds: readonly ProcessKind[]): string {
  switch (way) {
    case "systemd":
      return `\`systemctl status ${unitsOf(kinds)}\` and \`journalctl -u ${unitsOf(kinds, " -u ")}\` have the reason why they ended.`;
    case "compose":
      return `\`docker compose ps --all\` and \`docker compose logs ${kinds.join(" ")}\` have the reason why they ended.`;
    case "npm start":
    case "hand":
      return "The last lines of their logs have the reason why they ended.";
  }
}

/**
 * Returns where to find out whether the system killed a process, mostly for lack of memory, and what to do if it did.
 */
export function killedRemedy(way: Way, kind: ProcessKind): string {
  const memory = "If it was memory, give them more, or run more processes with less work each (docs/sizing.md).";
  switch (way) {
    case "systemd":
      return `\`systemctl status ${unitsOf([kind])}\` and \`journalctl -k -g oom\` show whether the system killed them. ${memory} Their limit is MemoryMax.`;
    case "compose":
      return `\`docker compose ps --all\` shows their exit codes (137: killed), and \`journalctl -k -g oom\` of the machine why. ${memory}`;
    case "npm start":
    case "hand":
      return `\`journalctl -k -g oom\` (or \`dmesg\`) shows whether the system killed them, and the last lines of their logs what they did. ${memory}`;
  }
}

/** Returns the instruction to restart processes after a change of their settings or files. */
export function restart(way: Way, kinds: readonly ProcessKind[]): string {
  switch (way) {
    case "npm start":
      return `${again}.`;
    case "systemd":
      return `Run \`systemctl restart ${unitsOf(kinds)}\`.`;
    case "compose":
      return `Run \`docker compose up -d --no-deps --force-recreate ${kinds.join(" ")}\`.`;
    case "hand":
      return `Restart ${kinds.map((kind) => `every ${kind}`).join(" and ")}.`;
  }
}

/** Returns the remedy for missing migrations or missing rights of roles. */
export function migrateRemedy(way: Way): string {
  switch (way) {
    case "systemd":
      return "Run `systemctl start realmpass-migrate`.";
    case "compose":
      return "Run `docker compose run --rm --no-deps migrate`.";
    case "npm start":
    case "hand":
      return "Run `npm run migrate`.";
  }
}

/**
 * Returns the remedy for a server (PostgreSQL or Redis) that does not respond; `setting` is the advice about its
 * address.
 */
export function startServerRemedy(way: Way, server: "PostgreSQL" | "Redis", setting: string): string {
  const [unit, service] = server === "Redis" ? ["redis-server", "redis"] : ["postgresql", "postgres"];
  switch (way) {
    case "systemd":
      return `Start ${server} (\`systemctl start ${unit}\` on its machine), or ${setting}.`;
    case "compose":
      return `Run \`docker compose up -d --no-deps ${service}\`, or ${setting}.`;
    case "npm start":
    case "hand":
      return `Start ${server}, or ${setting}.`;
  }
}

/** Returns the remedy if a timer's scheduled work is overdue. */
export function timerRemedy(way: Way, unit: string): string {
  return way === "systemd"
    ? `Look at \`systemctl list-timers ${unit}.timer\` and \`journalctl -u ${unit}\`, and run \`systemctl start ${unit}\`.`
    : "Look at the schedule that runs it, and at its log: docs/backup.md.";
}
