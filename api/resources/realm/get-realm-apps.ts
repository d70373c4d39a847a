import * as realms from "../../../db/queries/realm/realms.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { RealmAppsView, realmAppsView } from "./realm-apps-view.ts";
import { appsCommands } from "./operator-commands.ts";

export const getRealmApps = endpoint({
  operation: "getRealmApps",
  summary: "The current realm's settings for apps and files for devices",
  description: "With the operator's command for each that cannot be changed here.",
  method: "get",
  path: "/api/realm/apps",
  access: "staff",
  scope: "realm.read",
  data: RealmAppsView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, settings } }) {
    const realm = await realms.findById(db, realmId);
    if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
    return realmAppsView(realm, { ...settings, locked: appsCommands(realm) });
  },
});
