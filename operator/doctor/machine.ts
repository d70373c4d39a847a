import { existsSync, statfsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../context/context.ts";
import { fails, passes, warns, type Check } from "./check.ts";

const nodeFloor = { major: 20, minor: 20 } as const;

/** Runs the checks that concern only this machine. */
export const checkMachine = (context: Context): Check[] => [
  checkNode(context),
  checkDataDirectory(context),
  ...checkDisk(context),
];

function checkNode({ nodeVersion }: Context): Check {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const fits = major > nodeFloor.major || (major === nodeFloor.major && minor >= nodeFloor.minor);
  return fits
    ? passes("node", `Node ${nodeVersion}`)
    : fails("node", `Node ${nodeVersion} is too old`, `Install Node ${nodeFloor.major}.${nodeFloor.minor} or newer.`);
}

function checkDataDirectory({ config }: Context): Check {
  const path = resolve(config.REALMPASS_DATA_DIRECTORY);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return passes("data-directory", `${path} does not exist yet`);
  if (!stat.isDirectory()) {
    return fails("data-directory", `${path} is not a directory`, "Set REALMPASS_DATA_DIRECTORY to a directory.");
  }
  const mode = stat.mode & 0o777;
  return (mode & 0o077) === 0
    ? passes("data-directory", `only its owner can read ${path}`)
    : fails("data-directory", `${path} is open to others (mode ${mode.toString(8)})`, `Run \`chmod 700 ${path}\`.`);
}

/** systemd keeps the credentials of a unit in memory: free space there does not concern a disk. */
function checkDisk({ config, env }: Context): Check[] {
  const path = resolve(config.REALMPASS_DATA_DIRECTORY);
  if (!existsSync(path) || path === env["CREDENTIALS_DIRECTORY"]) return [];
  const { bavail, blocks, bsize } = statfsSync(path);
  return [judgeSpace(path, { free: bavail * bsize, total: blocks * bsize })];
}

const mebibyte = 1024 * 1024;

/** Checks the free space of a directory; sizes are in bytes. */
export function judgeSpace(path: string, { free, total }: { free: number; total: number }): Check {
  const message = `${Math.floor(free / mebibyte)} MiB are free in ${path}`;
  const remedy = "Make room: a database that cannot write accepts nothing.";
  if (free < 256 * mebibyte) return fails("disk", message, remedy);
  return free < 1024 * mebibyte || free < total / 10 ? warns("disk", message, remedy) : passes("disk", message);
}
