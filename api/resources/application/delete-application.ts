import { z } from "zod";
import * as endedCreators from "../../../db/queries/bulk-job/plan/ended-creators.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { ClientID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { applicationSettingsView } from "../../contract/views/application-view.ts";

export const deleteApplication = endpoint({
  operation: "deleteApplication",
  summary: "Delete an application",
  description:
    "Its sessions, consents, secrets and tokens end with it. Profiles that it created still open the network, but nothing in the API. Its waiting bulk jobs no longer run by themselves.",
  method: "delete",
  path: "/api/applications/:client_id",
  access: "staff",
  scope: "application.modify",
  params: z.object({ client_id: ClientID }),
  data: Done,
  errors: ["application_not_found"],
  unknown: { client_id: "application_not_found" },
  changes: true,

  handle({ params: { client_id: clientId }, principal, deps: { clock }, change, fail }) {
    const { realmId } = principal;
    return change(async (tx) => {
      const found = await applications.lock(tx, { realmId, clientId });
      if (found === undefined) throw fail("application_not_found");
      const at = clock.now();
      await applications.remove(tx, { clientId });
      await endedCreators.stopOfEnded(tx, { realmId, creators: { clientId }, at });
      await audit.record(tx, {
        realmId,
        event: "client_delete",
        actor: actorOf(principal),
        at,
        properties: { clientID: clientId, ...applicationSettingsView(found) },
      });
      return done;
    });
  },
});
