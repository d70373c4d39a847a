import { z } from "zod";
import * as scimOverview from "../../../db/queries/people/scim-overview.ts";
import * as scimUsers from "../../../db/queries/people/scim-users.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as removals from "../../../db/queries/realm/removals.ts";
import type { Db } from "../../../db/client.ts";
import { unconfirmedRemovalsMax } from "../../../domain/limits.ts";
import { newPeopleFrom, pairwiseAttributes } from "../../../domain/people/directory.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

export const ScimView = z
  .object({
    baseURL: z.string().describe("The address that a directory is given."),
    pairwise: z
      .enum(pairwiseAttributes)
      .describe("The SCIM attribute whose value is the pairwise ID: signing in and the directory meet in it."),
    newPeople: z
      .enum(newPeopleFrom)
      .describe("Who makes people: `sign-in`, the first time; `scim`, the directory alone."),
    attributes: z
      .array(z.object({ claim: z.string(), path: z.string() }))
      .describe(
        "SCIM attributes that stand for claims of the rules about VLANs and who may use the realm. The operator sets them.",
      ),
    connections: z
      .array(z.object({ client_id: z.string(), name: z.string(), active: z.boolean(), lastUsed: Timestamp.nullable() }))
      .describe("The applications with the scope `scim`, by name."),
    people: z.int().describe("Known to a directory."),
    active: z.int().describe("Those of them who have access."),
    heldJob: z
      .uuid()
      .nullable()
      .describe("The bulk job whose people wait for a person: their directory wants to take more than the limit away."),
    offboardedThisHour: z.int().describe("People whose profiles a directory has revoked."),
    limitThisHour: z.int().describe("For how many it may without a person."),
    lastSignIns: z
      .object({ people: z.int(), unknown: z.int() })
      .describe("Of the last 20 people who signed in through the identity provider, how many no directory knows."),
  })
  .meta({ id: "Scim" });

/** Returns a realm's directory settings, its connections and its numbers. */
export async function readScim(
  db: Db,
  { realmId, baseUrl, at }: { realmId: string; baseUrl: string; at: Date },
): Promise<z.infer<typeof ScimView>> {
  const [realm, connections, numbers, { revoked, sharePercent }, activePeople] = await Promise.all([
    realms.findById(db, realmId),
    scimOverview.listConnections(db, { realmId }),
    scimOverview.count(db, { realmId }),
    scimUsers.countRevoked(db, { realmId, at }),
    removals.countActive(db, { of: "people", realmId, at }),
  ]);
  if (realm === undefined) throw new Error("the caller's realm does not exist");
  const share = Math.floor(((activePeople + revoked) * sharePercent) / 100);
  return {
    baseURL: `${baseUrl}/scim/v2`,
    pairwise: realm.scimPairwise,
    newPeople: realm.newPeople,
    attributes: realm.scimAttributes,
    connections: connections.map(({ clientId, name, active, lastUsedAt }) => ({
      client_id: clientId,
      name,
      active,
      lastUsed: lastUsedAt?.toISOString() ?? null,
    })),
    people: numbers.people,
    active: numbers.active,
    heldJob: numbers.heldJob?.id ?? null,
    offboardedThisHour: revoked,
    limitThisHour: Math.max(unconfirmedRemovalsMax, share),
    lastSignIns: numbers.lastSignIns,
  };
}
