import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { figureOf } from "../figures.ts";
import { measure } from "../load/index.ts";
import { addUsers, until, type Service } from "../service.ts";
import { figure } from "../statistics.ts";
import { countUnsettled, createProfiles, resolveUnfinished } from "./profiles/profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const times = 4;
/** Fewer connections than the api accepts at the same time. */
const connections = 9_500;
const capacityConcurrency = 32;
const capacityRequests = 4_000;
const people = 20_000;
const secondsOf = (quick: boolean): number => (quick ? 30 : 300);
/** How long the service may take to finish the work that it has accepted. */
const drainSecondsMax = 600;
const lookEveryMs = 1_000;

/** The permitted responses: the profile, a profile that will follow, or a rejection because of load. */
const allowed = ["200", "202", "503"];

/**
 * Measures minutes of more load than the service can handle: which requests it rejects, which are late, and whether it
 * recovers.
 */
export const overload: Scenario = {
  title: "Beyond capacity",
  about: `For ${secondsOf(false)} s ${times} times as many single profiles a second as at concurrency ${capacityConcurrency} just before, on up to ${connections.toLocaleString("en-GB")} connections; a request that finds none within a second is not sent. Latencies count from when a request was due. Goal: only 200, 202 and 503 with \`Retry-After\`, and every 202 becomes a profile.`,
  columns: [
    "queue",
    "capacity/s",
    "asked/s",
    "sent",
    "200",
    "202",
    "503",
    "anything else",
    "not sent",
    "p50 / p95 / p99 ms",
    "most waiting",
    "worked off after s",
    "202 issued / failed / open",
  ],
  keptOnly: { columns: ["asked/s", "sent", "most waiting", "worked off after s"] },
  env: () => ({}),

  async run(run) {
    const { service, quick, cleanup } = run;
    const seconds = secondsOf(quick);
    const count = capacityRequests / (quick ? 4 : 1);
    await createProfiles(run, { count, concurrency: capacityConcurrency });
    const { perSecond: capacity } = await createProfiles(run, { count, concurrency: capacityConcurrency });
    const rate = Math.round(times * capacity);
    const before = await countIssuances(service);

    const backlog = watchBacklog(service);
    const paths = (await addUsers(service, people)).map((id) => `/api/user/${id}/profiles/laptop`);
    const load = await measure(
      service,
      {
        method: "POST",
        paths,
        body: { format: "pkcs12", deviceType: "Windows" },
        count: rate * seconds,
        rate,
        concurrency: connections,
        greeting: "/healthz",
        patienceMs: 1_000,
        secondsMax: seconds + 120,
      },
      cleanup,
    );
    const answeredAt = performance.now();
    await until("nothing is left to work off", drainSecondsMax, async () => (await countUnsettled(service)) === 0);
    const drained = (performance.now() - answeredAt) / 1000;
    const waiting = await backlog.stop();

    const { issued, failed, open } = await resolveUnfinished(run, load);
    const made = (await countIssuances(service)) - before;
    const [ok = 0, later = 0, refused = 0] = allowed.map((status) => load.statuses[status] ?? 0);
    const others = Object.entries(load.statuses).filter(([status]) => !allowed.includes(status));
    const name = backendNames[service.backend];
    return {
      rows: [
        [
          name,
          figure(capacity),
          rate.toLocaleString("en-GB"),
          (rate * seconds - load.unsent).toLocaleString("en-GB"),
          ...[ok, later, refused].map((answers) => answers.toLocaleString("en-GB")),
          others.map(([status, answers]) => `${status}: ${answers}`).join(", ") || "nothing",
          load.unsent.toLocaleString("en-GB"),
          [load.p50, load.p95, load.p99].map(figure).join(" / "),
          Math.max(...waiting).toLocaleString("en-GB"),
          figure(drained),
          `${issued} / ${failed} / ${open}`,
        ],
      ],
      figures: [
        figureOf("beyond capacity", "200 per second", [ok], (answers) => answers / seconds),
        figureOf("beyond capacity", "most waiting", [Math.max(...waiting)], (most) => most),
        figureOf("beyond capacity", "worked off after s", [drained], (value) => value),
      ],
      // A difference means that the service accepted a profile without answering any client 200 or 202.
      ...(made === ok + later
        ? {}
        : { remark: `${name}: ${made} were accepted, for ${ok + later} answers 200 and 202.` }),
    };
  },
};

const countIssuances = async ({ db }: Service): Promise<number> =>
  only(await db.query<{ count: number }>(sql`select count(*)::integer as count from issuances`)).count;

/** Counts every second how many issuances wait or are being signed. */
function watchBacklog(service: Service): { stop(): Promise<number[]> } {
  const seen: number[] = [];
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      seen.push(await countUnsettled(service));
      await delay(lookEveryMs);
    }
  })();
  watching.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await watching;
      return seen;
    },
  };
}
