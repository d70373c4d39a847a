import { randomUUID } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as processes from "../../../db/queries/upkeep/processes.ts";
import { sql } from "../../../db/sql.ts";

/**
 * Registers a process that does not run. It counts as alive for the whole test; with `silentSeconds`, it was last seen
 * that long ago.
 */
export async function givenProcess(
  owner: Database,
  {
    silentSeconds = -3_600,
    startedSeconds = Math.max(silentSeconds, 0),
    ...given
  }: Pick<processes.Process, "kind"> &
    Partial<processes.Process> & {
      silentSeconds?: number;
      /** How long ago the process started; default: when it was last seen. */
      startedSeconds?: number;
    },
): Promise<void> {
  const id = randomUUID();
  const rest = { host: "host", pid: 1, version: "0.0.0", migration: "none", queue: null, connectionsMax: 1 };
  await processes.beat(owner, { id, ...rest, ocspUrl: null, clockSkewMs: null, problems: [], ...given });
  await owner.query(sql`
    update processes
       set seen_at = seen_at - make_interval(secs => ${silentSeconds}),
           started_at = started_at - make_interval(secs => ${startedSeconds})
     where id = ${given.id ?? id}
  `);
}
