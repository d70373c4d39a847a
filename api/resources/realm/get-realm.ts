import * as realms from "../../../db/queries/realm/realms.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { RealmView, realmView } from "../../contract/views/realm-view.ts";

export const getRealm = endpoint({
  operation: "getRealm",
  summary: "The current realm",
  description: "For every principal of the realm; users and services need the scope.",
  method: "get",
  path: "/api/realm",
  access: "any",
  scope: "realm.read",
  data: RealmView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db } }) {
    const realm = await realms.findById(db, realmId);
    if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
    return realmView(realm);
  },
});
