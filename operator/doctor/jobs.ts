import type { Db } from "../../db/client.ts";
import * as grace from "../../db/queries/bulk-job/run/grace.ts";
import type { Context } from "../context/context.ts";
import { fails, passes, type Check } from "./check.ts";

/** A bulk job is overdue this many minutes after its grace period has ended. */
const overdueMinutes = 10;

/**
 * Checks that every bulk job has continued within {@link overdueMinutes} minutes of the end of its grace period; until
 * it continues, people's devices stay on the network.
 */
export async function checkJobs(db: Db, { clock }: Pick<Context, "clock">): Promise<Check> {
  const since = new Date(clock.now().getTime() - overdueMinutes * 60_000);
  const overdue = await grace.listInGraceSince(db, { since });
  return overdue.length === 0
    ? passes("jobs", "every bulk job whose days of grace are over has continued")
    : fails(
        "jobs",
        `devices of people who have left are still online: days of grace are over, and nothing was revoked (${overdue.join(", ")})`,
        'If no worker runs, see processes; else look for "job.faulty" in the workers\' logs.',
      );
}
