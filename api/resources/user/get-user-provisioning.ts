import { z } from "zod";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

const ProvisioningView = z
  .object({
    offboarding: z
      .object({
        state: z.enum(["grace", "done"]).describe("`grace`: the devices are still on, until `revokeAt`."),
        job: z.uuid().nullable().describe("The bulk job that did it, while it is kept."),
        since: Timestamp,
        revokeAt: Timestamp.nullable(),
      })
      .nullable()
      .describe("null: not offboarded."),
  })
  .meta({ id: "UserProvisioning" });

export const getUserProvisioning = endpoint({
  operation: "getUserProvisioning",
  summary: "How a user's access has ended",
  method: "get",
  path: "/api/user/:userID/provisioning",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: ProvisioningView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    const found = await users.findOffboarding(db, { realmId, userId });
    if (found === undefined) throw fail("user_not_found");
    if (found === null) return { offboarding: null };
    const { since, jobId, grace } = found;
    return {
      offboarding: {
        state: grace === null ? ("done" as const) : ("grace" as const),
        job: jobId,
        since: since.toISOString(),
        revokeAt: grace?.revokeAt.toISOString() ?? null,
      },
    };
  },
});
