import * as drafts from "../../../db/queries/sign-in/sign-in-drafts.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";

export const deleteSignInDraft = endpoint({
  operation: "deleteSignInDraft",
  summary: "Discard the sign-in that is being set up",
  description: "The sign-in in use stays.",
  method: "delete",
  path: "/api/realm/sign-in/draft",
  access: "staff",
  scope: "realm.modify",
  furtherScopes: ["role.modify"],
  data: Done,
  errors: [],

  async handle({ principal: { realmId }, deps: { db } }) {
    await drafts.remove(db, { realmId });
    return done;
  },
});
