import { z } from "zod";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as staticTokens from "../../../db/queries/oauth/static-tokens.ts";
import { ClientID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { staticTokenView, StaticTokenView } from "./static-token-view.ts";

export const listStaticTokens = endpoint({
  operation: "listStaticTokens",
  summary: "An application's static tokens",
  method: "get",
  path: "/api/applications/:client_id/tokens",
  access: "staff",
  scope: "application.read",
  params: z.object({ client_id: ClientID }),
  data: z.array(StaticTokenView),
  errors: ["application_not_found"],
  unknown: { client_id: "application_not_found" },

  async handle({ params: { client_id: clientId }, principal: { realmId }, deps: { db }, fail }) {
    if ((await applications.findInRealm(db, { realmId, clientId })) === undefined) throw fail("application_not_found");
    return (await staticTokens.list(db, { realmId, clientId })).map(staticTokenView);
  },
});
