import { endpoint } from "../../contract/endpoint.ts";
import { readScim, ScimView } from "./scim-view.ts";

export const getScim = endpoint({
  operation: "getScim",
  summary: "The directory of the current realm",
  description: "How a directory is connected over SCIM 2.0, and how many people it knows.",
  method: "get",
  path: "/api/scim",
  access: "staff",
  scope: "application.read",
  data: ScimView,
  errors: [],

  handle: ({ principal: { realmId }, deps: { db, clock, settings } }) =>
    readScim(db, { realmId, baseUrl: settings.baseUrl, at: clock.now() }),
});
