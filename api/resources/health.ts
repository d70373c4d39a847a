import { z } from "zod";
import * as crls from "../../db/queries/certificates/crls.ts";
import * as health from "../../db/queries/upkeep/health.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import type { Deps } from "../contract/deps.ts";
import { endpoint } from "../contract/endpoint.ts";
import { Timestamp } from "../contract/views/timestamp.ts";
import { answerWithin } from "../../runtime/deadline.ts";

export const getLiveness = endpoint({
  operation: "getLiveness",
  summary: "Whether this process lives",
  method: "get",
  path: "/healthz",
  access: "public",
  data: z.object({ status: z.literal("live") }),
  errors: [],
  handle: () => Promise.resolve({ status: "live" as const }),
});

const Check = z.object({ ok: z.boolean(), ms: z.number() });
const Crls = z.object({
  ok: z.boolean(),
  overdue: z
    .array(z.object({ issuer: z.string(), nextUpdate: Timestamp.nullable() }))
    .describe(
      "Issuers whose CRL is missing, has ended, or was not replaced in time. No reason to send requests elsewhere.",
    ),
});
const Readiness = z.object({ database: Check, queue: Check, worker: Check, crl: Crls });

/** A part that takes longer than this counts as away. */
const waitMsMax = 2_000;

export const getReadiness = endpoint({
  operation: "getReadiness",
  summary: "Whether database, queue and at least one worker answer",
  description: "503 `unavailable` names in `fields` what is away.",
  method: "get",
  path: "/readyz",
  access: "public",
  data: Readiness,
  errors: ["unavailable"],

  async handle({ deps, fail, log }) {
    const overdue: z.infer<typeof Crls>["overdue"] = [];
    const [database, queue, worker] = await Promise.all([
      check(() => health.ping(deps.db)),
      check(() => deps.queues.ping()),
      check(() => requireWorker(deps)),
      check(async () => overdue.push(...(await overdueCrls(deps)))),
    ]);
    const checks = { database, queue, worker };
    const away = Object.entries(checks).filter(([, { ok }]) => !ok);
    if (away.length > 0) {
      const names = away.map(([name]) => name);
      log.warn(
        { event: "readiness.failed", away: Object.fromEntries(away.map(([name, { reason }]) => [name, reason])) },
        "not ready",
      );
      throw fail("unavailable", {
        description: `Away: ${names.join(", ")}.`,
        fields: away.map(([path, { ms }]) => ({ path, reason: `does not answer (${ms} ms)` })),
        retryAfterSeconds: 1,
      });
    }
    return { ...checks, crl: { ok: overdue.length === 0, overdue } };
  },
});

async function requireWorker({ db }: Deps): Promise<void> {
  if ((await processes.countAlive(db, "worker")) === 0) throw new Error("no worker");
}

async function overdueCrls({ db, clock }: Deps): Promise<z.infer<typeof Crls>["overdue"]> {
  const states = await crls.listStates(db, { at: clock.now() });
  return states
    .filter(({ standing }) => standing !== "current")
    .map(({ issuerId, crl }) => ({ issuer: issuerId, nextUpdate: crl?.nextUpdate.toISOString() ?? null }));
}

async function check(run: () => Promise<unknown>): Promise<{ ok: boolean; ms: number; reason?: string }> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    await answerWithin(waitMsMax, run());
    return { ok: true, ms: elapsed() };
  } catch (error) {
    return { ok: false, ms: elapsed(), reason: error instanceof Error ? error.message : String(error) };
  }
}
