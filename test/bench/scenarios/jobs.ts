import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import type { Service } from "../service.ts";

/** A bulk job from outside, measured in seconds from its 202. */
export interface MeasuredJob {
  /** How long the upload took until the 202. */
  accepted: number;
  /** Until the job had ended. */
  ended: number;
  /** Of an offboarding: until nobody of it could sign in. */
  lockedOut: number;
}

/** How often the database is asked where a job stands. */
const pollMs = 20;

/** A job takes no longer than this. */
const secondsMax = 300;

/** Sends a CSV file as a client does, and waits for the job to complete. */
export async function runJob(
  { port, token, db }: Service,
  { kind, csv, total }: { kind: "onboarding" | "offboarding"; csv: string; total: number },
): Promise<MeasuredJob> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/api/jobs/${kind}?confirmTotal=${total}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/csv", prefer: "respond-async" },
    body: csv,
  });
  const acceptedAt = performance.now();
  if (answer.status !== 202) throw new Error(`a job was answered ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { id: string } };

  let lockedOut = Number.NaN;
  for (;;) {
    const { state, marked, changed } = only(
      await db.query<{ state: string; marked: boolean; changed: number }>(
        sql`select state, marked_at is not null as marked, changed from jobs where id = ${data.id}`,
      ),
    );
    const seconds = (performance.now() - acceptedAt) / 1000;
    if (marked && Number.isNaN(lockedOut)) lockedOut = seconds;
    if (state === "completed" && changed === total) {
      return { accepted: (acceptedAt - startedAt) / 1000, ended: seconds, lockedOut };
    }
    if (["ready", "failed", "cancelled", "completed_with_errors"].includes(state) || seconds > secondsMax) {
      throw new Error(`a job of ${total} is ${state} after ${seconds} s with ${changed} changed`);
    }
    await delay(pollMs);
  }
}
