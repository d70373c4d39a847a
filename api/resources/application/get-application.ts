import { z } from "zod";
import * as applications from "../../../db/queries/oauth/applications.ts";
import { ClientID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ApplicationView, applicationView } from "../../contract/views/application-view.ts";

export const getApplication = endpoint({
  operation: "getApplication",
  summary: "One application",
  method: "get",
  path: "/api/applications/:client_id",
  access: "staff",
  scope: "application.read",
  params: z.object({ client_id: ClientID }),
  data: ApplicationView,
  errors: ["application_not_found"],
  unknown: { client_id: "application_not_found" },

  async handle({ params: { client_id: clientId }, principal: { realmId }, deps: { db }, fail }) {
    const found = await applications.findInRealm(db, { realmId, clientId });
    if (found === undefined) throw fail("application_not_found");
    return applicationView(found);
  },
});
