import { setTimeout as delay } from "node:timers/promises";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { figureOf } from "../figures.ts";
import { addClient, addUsers, type Service } from "../service.ts";
import { figure, median, percentile } from "../statistics.ts";
import { addProfiles } from "./offboarding.ts";
import type { Scenario } from "./scenario.ts";

const revoked = 300;
const paceMs = 200;
const readers = 20;

/** Measures the time from the revoking request until RADIUS servers that wait for its line have received it. */
export const disconnect: Scenario = {
  title: "Disconnecting revoked devices",
  about: `${readers} RADIUS servers wait at \`GET /api/radius/revoked\` while ${revoked} profiles are revoked, ${paceMs} ms apart: from the request until the last server has the line.`,
  columns: ["what", "number", "p50 ms", "p95 ms", "p99 ms", "max ms", "goal"],
  keptOnly: { columns: ["number", "p50 ms", "p95 ms", "max ms"] },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick }) {
    const count = quick ? revoked / 10 : revoked;
    const serials = await givenProfiles(service, count);
    const stopped = new AbortController();
    const waiting = Array.from({ length: readers }, () => startReader(service, stopped.signal));
    await Promise.all(waiting.map(({ ready }) => ready));

    const durations: number[] = [];
    for (const serial of serials) {
      const startedAt = performance.now();
      const at = systemClock.now().getTime();
      const answer = await fetch(`http://127.0.0.1:${service.port}/api/profiles/${serial}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${service.token}` },
      });
      if (answer.status !== 200) throw new Error(`DELETE was answered ${answer.status}: ${await answer.text()}`);
      await Promise.all(waiting.map(({ hasSince }) => hasSince(at)));
      durations.push(performance.now() - startedAt);
      await delay(Math.max(0, paceMs - (performance.now() - startedAt)));
    }
    stopped.abort();
    await Promise.all(waiting.map(({ ended }) => ended));

    const sorted = durations.toSorted((a, b) => a - b);
    const of = [median(sorted), percentile(sorted, 0.95), percentile(sorted, 0.99), percentile(sorted, 1)];
    return {
      rows: [
        [
          "until the last server has the line",
          String(durations.length),
          ...of.map((value) => figure(value)),
          "p99 < 1,000",
        ],
      ],
      figures: [figureOf("until the last server has the line", "p50 ms", [sorted], median)],
    };
  },
};

async function givenProfiles(service: Service, count: number): Promise<string[]> {
  const userIds = await addUsers(service, count);
  await addProfiles(service, userIds, 1);
  const rows = await service.db.query<{ serialNumber: string }>(sql`
    select serial_number as "serialNumber" from certificates where user_id = any(${userIds}::bigint[]) order by id
  `);
  return rows.map(({ serialNumber }) => serialNumber);
}

interface Reader {
  ready: Promise<void>;
  ended: Promise<void>;
  /** Waits for the line of a revocation made at this time or later. The scenario makes one revocation at a time. */
  hasSince: (at: number) => Promise<void>;
}

function startReader(service: Service, signal: AbortSignal): Reader {
  const url = `http://127.0.0.1:${service.port}`;
  let newest = 0;
  let wake = (): void => undefined;
  let markReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => (markReady = resolve));

  const read = async (): Promise<void> => {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      scope: "radius.read",
      ...addClient(service, ["--scopes", "radius.read"]),
    });
    const { access_token: token } = (await (await fetch(`${url}/oauth/token`, { method: "POST", body })).json()) as {
      access_token: string;
    };
    let since = "";
    while (!signal.aborted) {
      const answer = await fetch(
        `${url}/api/radius/revoked?wait=${since === "" ? 0 : 25}${since && `&since=${since}`}`,
        {
          headers: { authorization: `Bearer ${token}` },
          signal,
        },
      );
      if (answer.status !== 200) throw new Error(`the feed was answered ${answer.status}: ${await answer.text()}`);
      since = answer.headers.get("x-until") ?? since;
      const lines = (await answer.text()).split("\n").filter((line) => line !== "");
      newest = Math.max(newest, ...lines.map((line) => Date.parse(line.split("\t")[1] ?? "")));
      wake();
      markReady();
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    ready: Promise.race([ready, ended]),
    ended,
    async hasSince(at) {
      while (newest < at) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), ended]);
    },
  };
}
