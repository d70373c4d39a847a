import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { writeOthers, writeParts } from "../columns.ts";
import { cpuBetween, cpuTotal, parts, readMachineCpu, type CpuByPart } from "../cpu.ts";
import type { Service } from "../service.ts";
import { figure, median } from "../statistics.ts";

/** A bulk job as a client sees it, measured in seconds from the 202. */
export interface MeasuredJob {
  /** How long the upload took until the 202. */
  accepted: number;
  /** Until the job had ended. */
  ended: number;
  /** For an offboarding: until the last of its people could no longer sign in. */
  lockedOut: number;
}

interface JobFile {
  kind: "onboarding" | "offboarding";
  csv: string;
  /** The number of rows. */
  total: number;
}

/** How often the client polls the database for a job's progress. */
const pollMs = 20;

/** The longest time that a job can take. */
const secondsMax = 900;

/** Sends a CSV file as a client does, and waits for the job to complete. */
export const runJob = async (service: Service, file: JobFile): Promise<MeasuredJob> =>
  (await sendJob(service, file)).ended;

/** Sends a CSV file as a client does. Returns when the client has the 202. */
export async function sendJob(
  { port, token, db }: Service,
  { kind, csv, total }: JobFile,
): Promise<{ ended: Promise<MeasuredJob> }> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/api/jobs/${kind}?confirmTotal=${total}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/csv", prefer: "respond-async" },
    body: csv,
  });
  const acceptedAt = performance.now();
  if (answer.status !== 202) throw new Error(`a job was answered ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { id: string } };
  const ended = watchJob(db, { id: data.id, total, acceptedAt }).then((measured) => ({
    accepted: (acceptedAt - startedAt) / 1000,
    ...measured,
  }));
  // Callers that wait get the rejection; until a caller waits, the rejection must not count as unhandled.
  ended.catch(() => undefined);
  return { ended };
}

async function watchJob(
  db: Service["db"],
  { id, total, acceptedAt }: { id: string; total: number; acceptedAt: number },
): Promise<Omit<MeasuredJob, "accepted">> {
  let lockedOut = Number.NaN;
  for (;;) {
    const { state, marked, changed } = only(
      await db.query<{ state: string; marked: boolean; changed: number }>(
        sql`select state, marked_at is not null as marked, changed from jobs where id = ${id}`,
      ),
    );
    const seconds = (performance.now() - acceptedAt) / 1000;
    if (marked && Number.isNaN(lockedOut)) lockedOut = seconds;
    if (state === "completed" && changed === total) return { ended: seconds, lockedOut };
    if (["ready", "failed", "cancelled", "completed_with_errors"].includes(state) || seconds > secondsMax) {
      throw new Error(`a job of ${total} is ${state} after ${seconds} s with ${changed} changed`);
    }
    await delay(pollMs);
  }
}

/** Returns a file with this number of new people, each with a P-256 profile as PKCS#12 if requested. */
export function onboardingFile(people: number, { profiles }: { profiles: boolean }): JobFile {
  const round = randomUUID();
  const header = profiles ? "pairwiseID,email,profileName,deviceType,format" : "pairwiseID,email";
  const lines = Array.from(
    { length: people },
    (_, index) => `${round}-${index},person-${index}@mail.example${profiles ? ",laptop,Windows,pkcs12" : ""}`,
  );
  return { kind: "onboarding", csv: [header, ...lines, ""].join("\n"), total: people };
}

/** The cost of work with many rows. */
export interface Cost {
  /** For each row, in microseconds. */
  cpu: CpuByPart;
  /** The share of the machine's CPU time that neither the service nor this process used. */
  others: number;
}

/** Returns the cost per row while `happens` runs. */
export async function costOfEach(service: Service, rows: number, happens: () => Promise<unknown>): Promise<Cost> {
  const before = { cpu: service.cpu(), machine: readMachineCpu(), own: process.cpuUsage() };
  await happens();
  const used = cpuBetween(before.cpu, service.cpu());
  const { user, system } = process.cpuUsage(before.own);
  const machine = readMachineCpu() - before.machine;
  return {
    cpu: Object.fromEntries(parts.map((part) => [part, used[part] / rows])) as CpuByPart,
    others: Math.max(0, machine - cpuTotal(used) - user - system) / machine,
  };
}

/** Returns the columns of {@link costCells}. */
export const costColumns = (of: string, { times }: { times?: string } = {}): string[] => [
  `CPU µs per ${of}`,
  ...(times === undefined ? [] : [`× ${times}`]),
  `${parts.join(" / ")} µs`,
  "others' CPU",
];

/**
 * Returns the costs of some rounds, as medians. The multiple is relative to the CPU time `baseUs`, and empty if
 * `baseUs` is null.
 */
export function costCells(rounds: readonly Cost[], baseUs?: number | null): string[] {
  const cpuUs = median(rounds.map(({ cpu }) => cpuTotal(cpu)));
  return [
    figure(cpuUs),
    ...(baseUs === undefined ? [] : [baseUs === null ? "" : figure(cpuUs / baseUs)]),
    writeParts(
      Object.fromEntries(parts.map((part) => [part, median(rounds.map(({ cpu }) => cpu[part]))])) as CpuByPart,
    ),
    writeOthers(rounds.map(({ others }) => others)),
  ];
}
