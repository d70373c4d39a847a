import * as realms from "../../../db/queries/realm/realms.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { RealmSettingsView, realmSettingsView } from "../../contract/views/realm-settings-view.ts";

export const getRealmSettings = endpoint({
  operation: "getRealmSettings",
  summary: "Settings of the current realm that its operator changes",
  description: "Read only: `operator realm set` changes them.",
  method: "get",
  path: "/api/realm/settings",
  access: "staff",
  scope: "realm.read",
  data: RealmSettingsView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db } }) {
    const realm = await realms.findById(db, realmId);
    if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
    return realmSettingsView(realm);
  },
});
