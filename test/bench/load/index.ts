import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "../cleanup.ts";
import { cpuBetween, cpuTotal, readMachineCpu, type CpuByPart } from "../cpu.ts";
import type { Service } from "../service.ts";
import { ended } from "../../support/run/services.ts";
import { percentile } from "../statistics.ts";
import type { LoadMessage, LoadOrder, LoadReport } from "./order.ts";

/** The result of measuring some requests: their number, times and costs. */
export interface Measured {
  answers: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
  /** CPU time of the service per response, in microseconds. */
  cpuUs: number;
  cpuUsByPart: CpuByPart;
  /** Responses by status; see {@link LoadReport}. */
  statuses: Record<string, number>;
  unfinished: string[];
  unsent: number;
  /** The share of the machine's CPU time that neither the service nor the load generator used. */
  others: number;
}

/**
 * A round is repeated if processes other than the service and the load generator used more than this share of the
 * machine's CPU time.
 */
export const othersMax = 0.1;
const repeatsMax = 3;

/**
 * Measures again while other processes use the machine, at most three more times. Returns all attempts, the quietest
 * first.
 */
export async function untilQuiet<Round extends { others: number }>(
  { quick }: { quick: boolean },
  round: () => Promise<Round>,
): Promise<[Round, ...Round[]]> {
  const attempts: [Round, ...Round[]] = [await round()];
  while (!quick && attempts.length <= repeatsMax && attempts.every(({ others }) => others > othersMax)) {
    attempts.push(await round());
  }
  return attempts.sort((a, b) => a.others - b.others);
}

/**
 * Puts load on a service and reads the service's CPU time before and after. `meanwhile` begins after the warm-up; the
 * load ends when `meanwhile` ends.
 */
export async function measure(
  service: Pick<Service, "port" | "token" | "cpu">,
  order: Omit<LoadOrder, "port" | "token" | "secondsMax"> & Partial<Pick<LoadOrder, "secondsMax">>,
  cleanup: Cleanup,
  meanwhile?: () => Promise<unknown>,
): Promise<Measured> {
  const before = { cpu: service.cpu(), machine: readMachineCpu() };
  const whole = { secondsMax: 300, ...order, port: service.port, token: service.token };
  const report = await generateLoad(whole, cleanup, meanwhile);
  const used = cpuBetween(before.cpu, service.cpu());
  const machine = readMachineCpu() - before.machine;
  const each = Object.fromEntries(Object.entries(used).map(([part, us]) => [part, us / report.answers])) as CpuByPart;
  return {
    answers: report.answers,
    perSecond: report.answers / report.seconds,
    p50: percentile(report.latencies, 0.5),
    p95: percentile(report.latencies, 0.95),
    p99: percentile(report.latencies, 0.99),
    max: percentile(report.latencies, 1),
    cpuUs: cpuTotal(each),
    cpuUsByPart: each,
    statuses: report.statuses,
    unfinished: report.unfinished,
    unsent: report.unsent,
    others: Math.max(0, machine - cpuTotal(used) - report.cpuUs) / machine,
  };
}

async function generateLoad(
  order: LoadOrder,
  cleanup: Cleanup,
  meanwhile?: () => Promise<unknown>,
): Promise<LoadReport> {
  const child = fork(fileURLToPath(new URL("./child.ts", import.meta.url)), {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const stop = cleanup.add(() => ended(child, "SIGKILL"));
  try {
    const message = await new Promise<Exclude<LoadMessage, { begun: true }>>((resolve, reject) => {
      child.on("message", (received: LoadMessage) => {
        if (!("begun" in received)) resolve(received);
        else if (meanwhile !== undefined) meanwhile().then(() => child.send("end"), reject);
      });
      child.once("exit", (code) => {
        reject(new Error(`the load generator ended with exit code ${code}`));
      });
      child.send(order);
    });
    if ("failure" in message) throw new Error(message.failure);
    return message.report;
  } finally {
    await stop();
  }
}
