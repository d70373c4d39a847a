import { z } from "zod";
import { violates } from "../../../db/client.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { newPeopleFrom, pairwiseAttributes } from "../../../domain/people/directory.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { recordRealmUpdate } from "../realm/record-realm-update.ts";

export const setScim = endpoint({
  operation: "setScim",
  summary: "Change how the current realm and its directory meet",
  description:
    "Omitted properties stay. `pairwise` cannot change once a directory has brought people: 409 `pairwise_in_use`.",
  method: "put",
  path: "/api/scim",
  access: "staff",
  scope: "realm.modify",
  body: z
    .object({ pairwise: z.enum(pairwiseAttributes).optional(), newPeople: z.enum(newPeopleFrom).optional() })
    .refine((change) => Object.keys(change).length > 0, "must have a property to change"),
  data: Done,
  errors: ["pairwise_in_use"],

  async handle({ body: { pairwise, newPeople }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    try {
      await db.transaction(async (tx) => {
        const before = await realms.lock(tx, realmId);
        const after = await realms.update(tx, realmId, { scimPairwise: pairwise, newPeople });
        const change = { principal, at: clock.now(), before: settingsOf(before), after: settingsOf(after) };
        await recordRealmUpdate(tx, change);
      });
    } catch (error) {
      if (violates(error, "realms_scim_pairwise_stays")) throw fail("pairwise_in_use");
      throw error;
    }
    return done;
  },
});

const settingsOf = ({ scimPairwise, newPeople }: RealmRow) => ({ scimPairwise, newPeople });
