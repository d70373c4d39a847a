import { z } from "zod";
import * as applicationRequests from "../../../db/queries/oauth/application-requests.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import { ClientID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  ApplicationRequestsView,
  applicationRequestsView,
} from "../../contract/views/pictures/application-requests-view.ts";
import { firstBucket } from "../overview/count-overview.ts";

export const getApplicationRequests = endpoint({
  operation: "getApplicationRequests",
  summary: "Requests of an application, by hour",
  description:
    "Answered and refused requests of the last 7 days. Requests whose token is missing, unknown or expired belong to no application and do not count. An api adds its counts once a minute.",
  method: "get",
  path: "/api/applications/:client_id/requests",
  access: "staff",
  scope: "application.read",
  params: z.object({ client_id: ClientID }),
  data: ApplicationRequestsView,
  errors: ["application_not_found"],
  unknown: { client_id: "application_not_found" },

  async handle({ params: { client_id: clientId }, principal: { realmId }, deps: { db, clock }, fail }) {
    const found = await applications.findInRealm(db, { realmId, clientId });
    if (found === undefined) throw fail("application_not_found");
    const from = firstBucket(clock.now(), { seconds: hourMs / 1_000, buckets: weekHours });
    const counts = await applicationRequests.list(db, { realmId, clientId, from });
    const hours = Array.from({ length: weekHours }, (_, index) => new Date(from.getTime() + index * hourMs));
    return applicationRequestsView({ hours, counts });
  },
});

const hourMs = 3_600_000;
const weekHours = 7 * 24;
