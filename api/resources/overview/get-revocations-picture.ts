import type { Db } from "../../../db/client.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import * as revocationTimes from "../../../db/queries/certificates/revocation-times.ts";
import { hasStaffScope } from "../../contract/access.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  RevocationsPictureView,
  revocationsPictureView,
  type RevocationsPicture,
} from "../../contract/views/pictures/revocations-picture-view.ts";
import { overviewAgeSecondsMax } from "./count-overview.ts";
import { keptCounts } from "./kept-counts.ts";

export const getRevocationsPicture = endpoint({
  operation: "getRevocationsPicture",
  summary: "The latest revocations, and when the network learned of them",
  description:
    "The last 50 revocations of users' profiles: when each was on a published list, and when a RADIUS server first got the answer that it is revoked; up to 5 s old.",
  method: "get",
  path: "/api/overview/revocations",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read"],
  data: RevocationsPictureView,
  errors: [],

  async handle({ principal, deps: { db, clock } }) {
    const { realmId } = principal;
    const picture = await kept(db, realmId, async () => {
      const at = clock.now();
      const revocations = await revocationTimes.listLatest(db, { realmId, limit: revocationsShown });
      const serials = revocations.map(({ serialNumber }) => serialNumber);
      return { at, revocations, jobs: await findJobs(db, { realmId, serials, at }) };
    });
    return revocationsPictureView(picture, { showsJobs: hasStaffScope(principal, "job.read") });
  },
});

const kept = keptCounts<RevocationsPicture>({ keptSeconds: overviewAgeSecondsMax });

const revocationsShown = 50;

/**
 * Finds the bulk job that revoked each profile, by serial number. The latest audit entry about a profile's revocation
 * decides.
 */
async function findJobs(
  db: Db,
  { realmId, serials, at }: { realmId: string; serials: readonly string[]; at: Date },
): Promise<RevocationsPicture["jobs"]> {
  if (serials.length === 0) return new Map();
  const subjects = serials.map((serial) => `profile:${serial}` as const);
  const entries = await activity.listEnding(db, { realmId, subjects });
  const idOf = new Map(
    entries.toReversed().flatMap((entry) => entry.serials.map((serial) => [serial, entry.job] as const)),
  );
  const ids = new Set(serials.flatMap((serial) => idOf.get(serial) ?? []));
  const found = await jobs.listByIds(db, { ids: [...ids], at });
  return new Map(
    serials.flatMap((serial) => {
      const job = found.find(({ id }) => id === idOf.get(serial));
      return job === undefined ? [] : [[serial, job] as const];
    }),
  );
}
