import type { Db } from "../../db/client.ts";
import * as serviceState from "../../db/queries/upkeep/service-state.ts";
import type { Context } from "../context/context.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/** How long each kind of work may wait, in seconds, before a warning and before a failure. */
const limits = {
  issuance: { warn: 30, fail: 60, text: "a profile waits to be issued", event: "issuance.refused" },
  revocation: { warn: 30, fail: 120, text: "a revocation waits for its CRL", event: "crl.failed" },
  responderRequest: { warn: 30, fail: 60, text: "a responder waits for its certificate", event: "issuer.away" },
} as const;

const jobMinutesMax = 5;

/** Checks that workers keep up with the work. */
export async function checkBacklog(db: Db, { clock }: Pick<Context, "clock">): Promise<Check> {
  const at = clock.now().getTime();
  const [oldest, undone] = await Promise.all([
    serviceState.readOldest(db),
    serviceState.readUndone(db, { since: new Date(at - jobMinutesMax * 60_000) }),
  ]);
  const since = { ...oldest, responderRequest: undone.responderRequest };
  const late = Object.entries(limits).flatMap(([what, limit]) => {
    const seconds = (at - (since[what as keyof typeof limits]?.getTime() ?? at)) / 1_000;
    return seconds > limit.warn ? [{ ...limit, seconds }] : [];
  });
  const stalled =
    undone.jobs.length === 0
      ? []
      : [`bulk jobs have not moved for ${jobMinutesMax} minutes (${undone.jobs.join(", ")})`];
  if (late.length + stalled.length === 0) return passes("backlog", "nothing has waited for long");

  const report = late.some(({ seconds, fail }) => seconds > fail) ? fails : warns;
  const events = [...late.map(({ event }) => event), ...(stalled.length === 0 ? [] : ["job.faulty"])];
  return report(
    "backlog",
    [...late.map(({ text, seconds }) => `${text} (${seconds.toFixed(0)} s)`), ...stalled].join("; "),
    `Look for ${events.map((event) => `"${event}"`).join(", ")} in the workers' logs.`,
  );
}
