import { z } from "zod";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import type { Bucket, IssuerStanding, RealmNumbers, Trend } from "../../../db/queries/realm/overview.ts";
import { JobView, jobView } from "./job-view.ts";
import { Timestamp } from "./timestamp.ts";

export const periods = ["24h", "7d", "30d"] as const;
export type Period = (typeof periods)[number];

const TrendView = z.object({ last7Days: z.int(), before: z.int().describe("In the seven days before those.") });

/** Problems that the operator should learn of early. */
const warnings = ["no_worker", "no_issuer", "issuer_ending", "crl_stale"] as const;

const WarningView = z.object({
  warning: z
    .enum(warnings)
    .describe(
      "`no_worker`: nothing is issued; `no_issuer`: nothing can be; `issuer_ending`: the issuing CA ends within 90 days; `crl_stale`: servers that check the list refuse every device.",
    ),
  issuerID: z.string().nullable(),
  endsAt: Timestamp.nullable(),
});

/** A realm in numbers, for the dashboard. */
export const OverviewView = z
  .object({
    at: Timestamp.describe("When this was counted."),
    profiles: z
      .object({
        active: z.int(),
        issued: TrendView,
        revoked: TrendView,
        expiring: z.object({ within7Days: z.int(), within30Days: z.int() }),
      })
      .describe("Of users; profiles of guests and servers do not count."),
    users: z.object({
      active: z.int().describe("Neither locked nor offboarded."),
      locked: z.int().describe("And not offboarded."),
      offboarded: z.int(),
    }),
    issuances: z.object({
      waiting: z.int().describe("Accepted, and neither issued nor failed yet."),
      oldestSeconds: z.int().nullable().describe("How long the oldest has waited; null: none waits."),
    }),
    workers: z.object({ alive: z.int() }),
    revocationLists: z
      .array(
        z.object({
          issuerID: z.string(),
          subject: z.string(),
          issuing: z.boolean().describe("False: an earlier issuer, whose list is still published, or the next one."),
          state: z.enum(["fresh", "due", "stale"]),
          publishedAt: Timestamp.nullable(),
          nextUpdate: Timestamp.nullable(),
        }),
      )
      .describe("One for each issuer that has not ended, the issuing one first."),
    disconnects: z
      .boolean()
      .describe(
        "Whether an application has asked for revocations within 5 minutes: if so, connected devices go offline at once, else within an hour.",
      ),
    warnings: z.array(WarningView),
    jobs: z.object({
      running: z.int(),
      items: z.array(JobView).describe("The first five of them, newest first."),
      inGrace: z
        .array(JobView)
        .describe(
          "Offboardings that still lock out at least one person and whose devices are still online: the first five, by `revokeAt`.",
        ),
    }),
    series: z.object({
      period: z.enum(periods),
      bucketSeconds: z.int(),
      buckets: z
        .array(z.object({ from: Timestamp, issued: z.int(), revoked: z.int() }))
        .describe("Whole hours or days in UTC, the earliest first; the last one has not ended."),
    }),
  })
  .meta({ id: "Overview" });
export type OverviewView = z.infer<typeof OverviewView>;

export interface Overview {
  at: Date;
  numbers: RealmNumbers;
  issuers: readonly IssuerStanding[];
  disconnects: boolean;
  jobs: { items: readonly Job[]; total: number; inGrace: readonly Job[] };
  series: { period: Period; bucketSeconds: number; buckets: readonly Bucket[] };
}

export function overviewView({ at, numbers, issuers, disconnects, jobs, series }: Overview): OverviewView {
  const { oldestWaitingSince: oldest } = numbers;
  return {
    at: at.toISOString(),
    profiles: {
      active: numbers.activeProfiles,
      issued: trendView(numbers.issued),
      revoked: trendView(numbers.revoked),
      expiring: { within7Days: numbers.endingWithin7Days, within30Days: numbers.endingWithin30Days },
    },
    users: { active: numbers.activeUsers, locked: numbers.lockedUsers, offboarded: numbers.offboardedUsers },
    issuances: {
      waiting: numbers.waitingIssuances,
      oldestSeconds: oldest && Math.max(0, Math.floor((at.getTime() - oldest.getTime()) / 1_000)),
    },
    workers: { alive: numbers.workersAlive },
    revocationLists: issuers.map(({ issuerId, subject, issuing, standing, publishedAt, nextUpdate }) => ({
      issuerID: issuerId,
      subject,
      issuing,
      state: standing,
      publishedAt: publishedAt?.toISOString() ?? null,
      nextUpdate: nextUpdate?.toISOString() ?? null,
    })),
    disconnects,
    warnings: warningsOf({ at, numbers, issuers }),
    jobs: {
      running: jobs.total,
      items: jobs.items.map((job) => jobView(job, at)),
      inGrace: jobs.inGrace.map((job) => jobView(job, at)),
    },
    series: {
      ...series,
      buckets: series.buckets.map(({ from, issued, revoked }) => ({ from: from.toISOString(), issued, revoked })),
    },
  };
}

const trendView = ({ last, before }: Trend) => ({ last7Days: last, before });

const endingDays = 90;

function warningsOf({ at, numbers, issuers }: Pick<Overview, "at" | "numbers" | "issuers">): OverviewView["warnings"] {
  const ofRealm = (warning: "no_worker" | "no_issuer") => ({ warning, issuerID: null, endsAt: null });
  const ending = (endsAt: Date): boolean => endsAt.getTime() - at.getTime() < endingDays * 86_400_000;
  return [
    ...(numbers.workersAlive === 0 ? [ofRealm("no_worker")] : []),
    ...(issuers.some(({ issuing }) => issuing) ? [] : [ofRealm("no_issuer")]),
    ...issuers
      .filter(({ issuing, endsAt }) => issuing && ending(endsAt))
      .map(({ issuerId, endsAt }) => ({
        warning: "issuer_ending" as const,
        issuerID: issuerId,
        endsAt: endsAt.toISOString(),
      })),
    ...issuers
      .filter(({ standing }) => standing === "stale")
      .map(({ issuerId, nextUpdate }) => ({
        warning: "crl_stale" as const,
        issuerID: issuerId,
        endsAt: nextUpdate?.toISOString() ?? null,
      })),
  ];
}
