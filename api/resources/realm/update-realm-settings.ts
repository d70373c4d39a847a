import * as realms from "../../../db/queries/realm/realms.ts";
import { radiusNamesTooLong } from "../../../domain/realm.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import {
  changeableSettingsView,
  RealmSettingsView,
  realmSettingsView,
} from "../../contract/views/realm-settings-view.ts";
import { operatorCommands, trustCommands } from "./operator-commands.ts";
import { recordRealmUpdate } from "./record-realm-update.ts";
import { caFaults, changeOfRealm, hasTooLongNames, RealmSettingsChange, refusedBy } from "./realm-settings-change.ts";

export const updateRealmSettings = endpoint({
  operation: "updateRealmSettings",
  summary: "Change settings of the current realm",
  description:
    "Omitted properties stay. `radiusCN` and `radiusCA` are set once, before the set-up is finished; after that " +
    "only the operator changes them: `operator_required` names each with its command in `fields`, and nothing is changed. " +
    "With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/realm/settings",
  access: "staff",
  scope: "realm.modify",
  body: RealmSettingsChange.refine((change) => Object.keys(change).length > 0, "must have a property to change"),
  faultsAt: caFaults,
  data: Done,
  errors: ["operator_required", "invalid_request"],
  conditional: true,

  async handle({ body, principal, deps: { db, clock, settings }, requireMatch, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    const change = changeOfRealm(body, at);
    await db.transaction(async (tx) => {
      const before = await realms.lock(tx, realmId);
      requireMatch(
        RealmSettingsView.parse(realmSettingsView(before, { ...settings, locked: operatorCommands(before) })),
      );
      const refused = refusedBy(before, body, change);
      if (refused.length > 0) {
        throw fail("operator_required", {
          fields: refused.map((path) => ({ path, reason: trustCommands[path](before) })),
        });
      }
      const after = await realms.update(tx, realmId, change);
      if (hasTooLongNames(after)) {
        throw fail("invalid_request", { fields: [{ path: "radiusCN", reason: radiusNamesTooLong }] });
      }
      await recordRealmUpdate(tx, {
        principal,
        at,
        before: changeableSettingsView(before),
        after: changeableSettingsView(after),
      });
    });
    return done;
  },
});
