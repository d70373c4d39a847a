import type { Db } from "../../../db/client.ts";
import * as overview from "../../../db/queries/realm/overview.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  ExpiriesPictureView,
  expiriesPictureView,
  type ExpiriesPicture,
} from "../../contract/views/pictures/expiries-picture-view.ts";
import { keptCounts } from "./kept-counts.ts";

export const getExpiriesPicture = endpoint({
  operation: "getExpiriesPicture",
  summary: "Expiring profiles by week",
  description: "How many active profiles of users expire in each week of the next 12 months; up to 10 minutes old.",
  method: "get",
  path: "/api/overview/expiries",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read"],
  data: ExpiriesPictureView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock } }) {
    return expiriesPictureView(await kept(db, realmId, () => count({ db, clock }, realmId)));
  },
});

/** The count reads an index entry for each active profile of the realm, so its result is kept. */
const kept = keptCounts<ExpiriesPicture>({ keptSeconds: 600, renewedAfterSeconds: 60 });

const weekMs = 7 * 86_400_000;
/** 1970 began on a Thursday. */
const firstMondayMs = 4 * 86_400_000;

/**
 * Returns the start of this week (Monday in UTC), and the number of weeks up to the one in which a 12-month profile
 * made now ends: 53, or 54 near the end of a week.
 */
export function weeksOfNextYear(at: Date): { from: number; weeks: number } {
  const from = firstMondayMs + Math.floor((at.getTime() - firstMondayMs) / weekMs) * weekMs;
  const inAYear = new Date(at).setUTCFullYear(at.getUTCFullYear() + 1);
  return { from, weeks: Math.floor((inAYear - from) / weekMs) + 1 };
}

async function count({ db, clock }: { db: Db; clock: Clock }, realmId: string): Promise<ExpiriesPicture> {
  const at = clock.now();
  const { from, weeks: weeksShown } = weeksOfNextYear(at);
  const counted = await overview.countExpiries(db, { realmId, at, from: new Date(from), weeks: weeksShown });
  const profiles = new Map(counted.map((one) => [one.week, one.profiles]));
  const weeks = Array.from({ length: weeksShown }, (_, week) => ({
    from: new Date(from + week * weekMs),
    until: new Date(from + (week + 1) * weekMs - 1),
    profiles: profiles.get(week) ?? 0,
  }));
  return { at, weeks };
}
