import * as realms from "../../../db/queries/realm/realms.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { RealmView, realmView } from "../../contract/views/realm-view.ts";
import { recordRealmUpdate } from "./record-realm-update.ts";
import { RealmSettingsChange } from "./realm-settings-change.ts";

/** The realm settings that this endpoint can change; every property is optional. */
const RealmChange = RealmSettingsChange.pick({
  displayName: true,
  logoURI: true,
  maxProfiles: true,
  maxValid: true,
}).refine((change) => Object.keys(change).length > 0, "must have a property to change");

export const updateRealm = endpoint({
  operation: "updateRealm",
  summary: "Change the current realm",
  description: "Omitted properties stay. With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/realm",
  access: "staff",
  scope: "realm.modify",
  body: RealmChange,
  data: Done,
  errors: [],
  conditional: true,

  async handle({ body, principal, deps: { db, clock }, requireMatch }) {
    const { realmId } = principal;
    const { displayName, logoURI: logoUri, maxProfiles, maxValid: maxValidMonths } = body;
    await db.transaction(async (tx) => {
      const before = await realms.lock(tx, realmId);
      requireMatch(RealmView.parse(realmView(before)));
      const after = await realms.update(tx, realmId, { displayName, logoUri, maxProfiles, maxValidMonths });
      await recordRealmUpdate(tx, { principal, at: clock.now(), before: realmView(before), after: realmView(after) });
    });
    return done;
  },
});
