import type { Database } from "../../db/client.ts";
import * as applicationRequests from "../../db/queries/oauth/application-requests.ts";
import type { RequestCount } from "../../db/queries/oauth/application-requests.ts";
import type { Clock } from "../../runtime/clock.ts";

export interface RequestCounts {
  /** Counts a response to an application, in memory. */
  note(clientId: string, status: number): void;
  /** Adds the counts to the database in one statement. Throws if that fails; the unwritten counts stay. */
  flush(): Promise<void>;
}

const hourMs = 3_600_000;

/** Counts the responses to applications by hour and status, and writes the counts together. */
export function createRequestCounts({ db, clock }: { db: Pick<Database, "query">; clock: Clock }): RequestCounts {
  let waiting = new Map<string, RequestCount>();

  function add({ clientId, hour, status, requests }: RequestCount): void {
    const key = `${clientId} ${hour.getTime()} ${status}`;
    const count = waiting.get(key);
    if (count === undefined) waiting.set(key, { clientId, hour, status, requests });
    else count.requests += requests;
  }

  return {
    note(clientId, status) {
      const hour = new Date(Math.floor(clock.now().getTime() / hourMs) * hourMs);
      add({ clientId, hour, status, requests: 1 });
    },

    async flush() {
      if (waiting.size === 0) return;
      const written = waiting;
      waiting = new Map();
      try {
        await applicationRequests.add(db, [...written.values()]);
      } catch (error) {
        for (const count of written.values()) add(count);
        throw error;
      }
    },
  };
}
