import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as scimOverview from "../../../db/queries/people/scim-overview.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

const ProvisioningView = z
  .object({
    offboarding: z
      .object({
        state: z
          .enum(["grace", "held", "done"])
          .describe(
            "`grace`: the devices are still on, until `revokeAt`. `held`: until a person confirms the job; a directory " +
              "has deactivated more people than the realm's share.",
          ),
        job: z.uuid().nullable().describe("The bulk job that did it, while it is kept."),
        since: Timestamp,
        revokeAt: Timestamp.nullable(),
      })
      .nullable()
      .describe("null: not offboarded."),
    scim: z
      .object({
        client_id: z.string().nullable().describe("The connection; null: its application was deleted."),
        userName: z.string(),
        externalId: z.string().nullable(),
        active: z.boolean().describe("The directory's last word; `offboarding` has what holds."),
        updatedAt: Timestamp.describe("When the directory last changed something."),
      })
      .nullable()
      .describe("null: no directory manages this user."),
  })
  .meta({ id: "UserProvisioning" });

export const getUserProvisioning = endpoint({
  operation: "getUserProvisioning",
  summary: "How a user's access has ended, and which directory manages them",
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
    const scim = await scimOf(db, { realmId, userId });
    if (found === null) return { offboarding: null, scim };
    const { since, jobId, grace, isHeld } = found;
    return {
      scim,
      offboarding: {
        state: isHeld ? ("held" as const) : grace === null ? ("done" as const) : ("grace" as const),
        job: jobId,
        since: since.toISOString(),
        revokeAt: grace?.revokeAt.toISOString() ?? null,
      },
    };
  },
});

async function scimOf(
  db: Db,
  user: { realmId: string; userId: string },
): Promise<z.infer<typeof ProvisioningView>["scim"]> {
  const found = await scimOverview.findOfUser(db, user);
  if (found === undefined) return null;
  const { clientId, updatedAt, ...rest } = found;
  return { client_id: clientId, ...rest, updatedAt: updatedAt.toISOString() };
}
