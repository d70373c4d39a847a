import type { Db } from "../../../db/client.ts";
import * as statusCounts from "../../../db/queries/certificates/status-counts.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  RadiusPictureView,
  radiusPictureView,
  type RadiusPicture,
} from "../../contract/views/pictures/radius-picture-view.ts";
import { firstBucket, overviewAgeSecondsMax } from "./count-overview.ts";
import { keptCounts } from "./kept-counts.ts";

export const getRadiusPicture = endpoint({
  operation: "getRadiusPicture",
  summary: "Answers to RADIUS servers, by hour",
  description:
    "OCSP answers about devices in the last 7 days and in the week before, and the servers that got them; up to 5 s old. Questions about servers' certificates do not count.",
  method: "get",
  path: "/api/overview/radius",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read"],
  data: RadiusPictureView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock } }) {
    return radiusPictureView(await kept(db, realmId, () => count({ db, clock }, realmId)));
  },
});

const kept = keptCounts<RadiusPicture>({ keptSeconds: overviewAgeSecondsMax });

const hourMs = 3_600_000;
const weekHours = 7 * 24;
const serversMax = 64;
const none = { good: 0, refused: 0 };

async function count({ db, clock }: { db: Db; clock: Clock }, realmId: string): Promise<RadiusPicture> {
  const at = clock.now();
  const from = firstBucket(at, { seconds: hourMs / 1_000, buckets: weekHours });
  const [counted, servers] = await Promise.all([
    statusCounts.listHours(db, { realmId, from: new Date(from.getTime() - weekHours * hourMs) }),
    statusCounts.listServers(db, { realmId, from, limit: serversMax }),
  ]);
  const byHour = new Map(counted.map(({ hour, good, refused }) => [hour.getTime(), { good, refused }]));
  const hours = Array.from({ length: weekHours }, (_, index) => {
    const hour = from.getTime() + index * hourMs;
    const weekBefore = byHour.get(hour - weekHours * hourMs) ?? none;
    return { from: new Date(hour), ...(byHour.get(hour) ?? none), weekBefore };
  });
  return { at, hours, servers };
}
