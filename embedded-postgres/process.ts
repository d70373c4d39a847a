import { spawn, type StdioOptions } from "node:child_process";
import { readFile, readlink, realpath } from "node:fs/promises";
import { parse } from "node:path";

/**
 * The user that Postgres runs as. Root starts it as another user, because Postgres refuses root. In a namespace the
 * user has another name: the files of uid and gid outside belong to `nobody` inside.
 */
export type RunAs =
  | { kind: "self" }
  | { kind: "account"; name: string; uid: number; gid: number }
  | { kind: "namespace"; uid: number; gid: number };

const namespaceUser = 65534;
const standardPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/**
 * Starts a program as the user of `runAs`, in an environment without the service's secrets. A detached program has its
 * own session, so the terminal's Ctrl-C does not reach it.
 */
export function spawnAs(
  runAs: RunAs,
  program: string,
  parameters: readonly string[],
  options: { stdio: StdioOptions; detached: boolean },
) {
  const inNamespace = runAs.kind === "namespace";
  return spawn(
    inNamespace ? "unshare" : program,
    inNamespace ? ["--user", `--map-user=${namespaceUser}`, "--", program, ...parameters] : [...parameters],
    {
      ...options,
      cwd: parse(program).root || "/",
      env: { PATH: standardPath, LC_ALL: "C", TZ: "UTC" },
      windowsHide: true,
      // Node requires signed ids here; macOS prints the id of `nobody` as 4294967294.
      ...(runAs.kind === "account" ? { uid: runAs.uid | 0, gid: runAs.gid | 0 } : {}),
    },
  );
}

/**
 * Runs a program to its end. `code` is undefined if a signal ended the program, or if it could not be started; in the
 * latter case, the output contains the reason.
 */
export async function runAndWait(runAs: RunAs, program: string, parameters: readonly string[]) {
  return new Promise<{ code: number | undefined; output: string }>((done) => {
    const child = spawnAs(runAs, program, parameters, { stdio: ["ignore", "pipe", "pipe"], detached: false });
    let output = "";
    const collect = (chunk: Buffer) => (output += chunk.toString());
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.once("error", (error) => {
      done({ code: undefined, output: error.message });
    });
    child.once("close", (code) => {
      done({ code: code ?? undefined, output: output.trim() });
    });
  });
}

/** Identifies a process, even if a later process gets the same pid. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** Returns the live process with this pid; undefined if there is no such process. A zombie is not live. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!signalProcess(pid, 0)) return undefined;
  if (process.platform === "linux") return identifyOnLinux(pid);
  if (process.platform === "win32") return { pid, started: "" };
  const { code, output } = await runAndWait({ kind: "self" }, "ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  if (code !== 0 || output.startsWith("Z")) return undefined;
  return { pid, started: output.replace(/^\S+\s+/, "") };
}

async function identifyOnLinux(pid: number): Promise<ProcessIdentity | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (line === undefined) return undefined;
  // Fields after the command, which is in parentheses and may contain anything: state is the 1st, start time the 20th.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return { pid, started: `${boot.trim()}/${fields[19]}` };
}

export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(pid))?.started === started;
}

/**
 * Whether the process with this pid is a postmaster on this cluster, and not an unrelated process. On Windows, always
 * true.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "win32") return true;
  if (process.platform === "linux") {
    // A postmaster works inside its data directory.
    const [workingDirectory, expected] = await Promise.all([
      readlink(`/proc/${pid}/cwd`).catch(() => undefined),
      realpath(cluster),
    ]);
    return workingDirectory === expected;
  }
  const { output } = await runAndWait({ kind: "self" }, "ps", ["-ww", "-o", "command=", "-p", String(pid)]);
  return output.includes(`-D ${cluster}`);
}

/** Returns the children of a process; none on Windows. */
export async function childrenOf(pid: number): Promise<number[]> {
  if (process.platform === "win32") return [];
  const { output } = await runAndWait({ kind: "self" }, "ps", ["-A", "-o", "pid=,ppid="]);
  const rows = output.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return rows.flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
}

/** Sends a signal; returns false if there is no such process. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
