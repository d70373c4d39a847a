import type { Db } from "../../../db/client.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import * as revoked from "../../../db/queries/certificates/revoked.ts";
import * as overview from "../../../db/queries/realm/overview.ts";
import type { JobState } from "../../../domain/bulk-job/job.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Overview, Period } from "../../contract/views/overview-view.ts";
import { keptCounts } from "./kept-counts.ts";

/** In seconds. Each process counts a realm at most once in this time, no matter how many people view it. */
export const overviewAgeSecondsMax = 5;

const hour = 3_600;
const day = 24 * hour;

const shapes: Record<Period, { seconds: number; count: number }> = {
  "24h": { seconds: hour, count: 24 },
  "7d": { seconds: day, count: 7 },
  "30d": { seconds: day, count: 30 },
};

/**
 * The states of jobs that are listed as running: a worker processes the job now, or as soon as its turn comes. Jobs in
 * their grace period are listed separately.
 */
const runningStates: JobState[] = ["checking", "queued", "running", "cancelling"];
const jobsMax = 5;

interface Question {
  realmId: string;
  period: Period;
}

const kept = keptCounts<Overview>({ keptSeconds: overviewAgeSecondsMax });

/**
 * Returns the overview of a realm, counted now or a moment ago; requests that arrive during a count share its result.
 */
export function countOverview(deps: { db: Db; clock: Clock }, { realmId, period }: Question): Promise<Overview> {
  return kept(deps.db, `${realmId} ${period}`, () => count(deps, { realmId, period }));
}

async function count({ db, clock }: { db: Db; clock: Clock }, { realmId, period }: Question): Promise<Overview> {
  const at = clock.now();
  const { seconds, count: buckets } = shapes[period];
  const page = { limit: jobsMax, offset: 0, filter: { state: runningStates }, sort: [] };
  const [numbers, issuers, readers, running, inGrace, series] = await Promise.all([
    overview.countRealm(db, { realmId, at }),
    overview.listIssuers(db, { realmId, at }),
    revoked.listReaders(db, { realmId }),
    jobs.list(db, { realmId, at, page }),
    jobs.listInGrace(db, { realmId, max: jobsMax, at }),
    overview.countBuckets(db, { realmId, from: firstBucket(at, { seconds, buckets }), count: buckets, seconds }),
  ]);
  const disconnects = readers.some(({ isSilent }) => !isSilent);
  return {
    at,
    numbers,
    issuers,
    disconnects,
    jobs: { ...running, inGrace },
    series: { period, bucketSeconds: seconds, buckets: series },
  };
}

/** Returns the start of the first bucket; the last bucket is the current one. Days are UTC days. */
export function firstBucket(at: Date, { seconds, buckets }: { seconds: number; buckets: number }): Date {
  const current = Math.floor(at.getTime() / 1_000 / seconds);
  return new Date((current - buckets + 1) * seconds * 1_000);
}
