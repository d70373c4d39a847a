import { readdirSync, readFileSync } from "node:fs";

/** Which part of the service a process belongs to. */
export const parts = ["start", "api", "worker", "responder", "Postgres", "Redis"] as const;
export type Part = (typeof parts)[number];

/** The parts that are processes of the service itself. */
export const serviceParts = ["start", "api", "worker", "responder"] as const satisfies readonly Part[];
export type ServicePart = (typeof serviceParts)[number];

/** CPU time in microseconds that each part has used up to now. */
export type CpuByPart = Record<Part, number>;

/** In /proc, Linux counts CPU time in hundredths of a second, whatever the kernel was built with. */
const usPerTick = 10_000;

interface ProcessTimes {
  parent: number;
  /** The CPU time of the process, and of ended children that the process has waited for. */
  us: number;
}

/**
 * Reads the CPU time of processes and their descendants. Children that have ended count with their parents, so the
 * reading includes a connection's Postgres process that starts and ends between two readings.
 */
export function readCpu(roots: readonly number[]): CpuByPart {
  const processes = readProcesses();
  const used: CpuByPart = { start: 0, api: 0, worker: 0, responder: 0, Postgres: 0, Redis: 0 };
  const add = (pid: number): void => {
    const found = processes.get(pid);
    if (found === undefined) return;
    used[partOf(pid)] += found.us;
    for (const [child, { parent }] of processes) if (parent === pid) add(child);
  };
  for (const root of roots) add(root);
  return used;
}

/**
 * Reads the resident memory of each part's processes in bytes, without shared memory (Postgres's buffers), which would
 * count again for every process of Postgres.
 */
export function readMemory(roots: readonly number[]): Record<Part, number> {
  const processes = readProcesses();
  const held: Record<Part, number> = { start: 0, api: 0, worker: 0, responder: 0, Postgres: 0, Redis: 0 };
  for (const pid of roots.flatMap((root) => treeOf(root, processes))) {
    const status = readProc(`${pid}/status`);
    for (const [, kB] of status.matchAll(/^Rss(?:Anon|File):\s+(\d+) kB/gm)) held[partOf(pid)] += Number(kB) * 1024;
  }
  return held;
}

/** Returns the processes of a part below the roots. */
export function pidsOf(roots: readonly number[], part: Part): number[] {
  const processes = readProcesses();
  return roots.flatMap((root) => treeOf(root, processes)).filter((pid) => partOf(pid) === part);
}

/** Returns the largest peak of resident memory among a part's processes below the roots, in bytes. */
export function readPeakMemory(roots: readonly number[], part: Part): number {
  const peaks = pidsOf(roots, part).map(
    (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readProc(`${pid}/status`))?.[1] ?? 0) * 1024,
  );
  return Math.max(0, ...peaks);
}

export const cpuBetween = (before: CpuByPart, after: CpuByPart): CpuByPart =>
  Object.fromEntries(parts.map((part) => [part, after[part] - before[part]])) as CpuByPart;

export const cpuTotal = (cpu: CpuByPart): number => parts.reduce((sum, part) => sum + cpu[part], 0);

/** Returns the CPU time in microseconds that all processes of the machine have used. */
export function readMachineCpu(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync("/proc/stat", "utf8").split("\n")[0] ?? ""
  )
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq) * usPerTick;
}

function readProcesses(): Map<number, ProcessTimes> {
  const found = new Map<number, ProcessTimes>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProc(`${name}/stat`);
    // Fields after the command, which is in parentheses and may contain anything: the parent is the 2nd of them.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [utime = 0, stime = 0, endedUtime = 0, endedStime = 0] = fields.slice(11, 15).map(Number);
    found.set(Number(name), { parent: Number(fields[1]), us: (utime + stime + endedUtime + endedStime) * usPerTick });
  }
  return found;
}

/** Returns a process and its descendants. */
const treeOf = (pid: number, processes: ReadonlyMap<number, ProcessTimes>): number[] => [
  pid,
  ...[...processes].flatMap(([child, { parent }]) => (parent === pid ? treeOf(child, processes) : [])),
];

function partOf(pid: number): Part {
  const command = readProc(`${pid}/cmdline`);
  if (command.includes("api/main.")) return "api";
  if (command.includes("worker/main.")) return "worker";
  if (command.includes("responder/main.")) return "responder";
  if (command.includes("redis-server")) return "Redis";
  if (command.includes("postgres")) return "Postgres";
  return "start";
}

/** Returns an empty text for a process that has just ended. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}
