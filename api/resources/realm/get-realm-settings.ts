import * as realms from "../../../db/queries/realm/realms.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { RealmSettingsView, realmSettingsView } from "../../contract/views/realm-settings-view.ts";
import { operatorCommands } from "./operator-commands.ts";

export const getRealmSettings = endpoint({
  operation: "getRealmSettings",
  summary: "All settings of the current realm",
  description: "With the operator's command for each that cannot be changed here.",
  method: "get",
  path: "/api/realm/settings",
  access: "staff",
  scope: "realm.read",
  data: RealmSettingsView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, settings } }) {
    const realm = await realms.findById(db, realmId);
    if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
    return realmSettingsView(realm, { ...settings, locked: operatorCommands(realm) });
  },
});
