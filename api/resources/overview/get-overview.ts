import { z } from "zod";
import { endpoint } from "../../contract/endpoint.ts";
import { OverviewView, overviewView, periods } from "../../contract/views/overview-view.ts";
import { countOverview } from "./count-overview.ts";

export const getOverview = endpoint({
  operation: "getOverview",
  summary: "The realm in numbers",
  description:
    "The numbers of the console's dashboard, up to 5 s old. Needs the scope of each list that it counts, because it shows a part of it.",
  method: "get",
  path: "/api/overview",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read", "user.read", "job.read"],
  query: z.object({ period: z.enum(periods, `must be one of ${periods.join(", ")}`).default("24h") }),
  data: OverviewView,
  errors: [],

  async handle({ query: { period }, principal: { realmId }, deps: { db, clock } }) {
    return overviewView(await countOverview({ db, clock }, { realmId, period }));
  },
});
