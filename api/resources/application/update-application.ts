import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as endedCreators from "../../../db/queries/bulk-job/plan/ended-creators.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import type { ApplicationSettings } from "../../../db/queries/oauth/applications.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { ClientID } from "../../../domain/ids.ts";
import { claimScopes } from "../../../domain/people/scopes.ts";
import { differences } from "../../contract/audit-changes.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { applicationSettingsView, ApplicationView, applicationView } from "../../contract/views/application-view.ts";
import { changedBy, RegistrationChange, requireHeld, requireOwnName, scopesAtStake } from "./registration.ts";

export const updateApplication = endpoint({
  operation: "updateApplication",
  summary: "Change an application",
  description:
    "Omitted properties stay. Sessions and tokens with a removed scope end; a secret that is no longer used is " +
    "deleted. Once it is switched off or lacks their scopes, its waiting bulk jobs no longer start by themselves. " +
    "With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/applications/:client_id",
  access: "staff",
  scope: "application.modify",
  params: z.object({ client_id: ClientID }),
  body: RegistrationChange,
  data: ApplicationView,
  errors: ["application_not_found", "invalid_request"],
  unknown: { client_id: "application_not_found" },
  conditional: true,

  handle({ params: { client_id: clientId }, body, principal, deps: { db, clock }, requireMatch, fail }) {
    const { realmId } = principal;
    return db.transaction(async (tx) => {
      const before = await applications.lock(tx, { realmId, clientId });
      if (before === undefined) throw fail("application_not_found");
      requireMatch(ApplicationView.parse(applicationView(before)));
      const after = changedBy(before, body, fail);
      requireHeld(principal, scopesAtStake(before, after));
      if (after.name !== before.name) await requireOwnName(tx, { realmId, clientId, name: after.name }, fail);

      const changes = differences(applicationSettingsView(before), applicationSettingsView(after));
      if (changes !== undefined) {
        await applications.update(tx, { clientId, ...after });
        const at = clock.now();
        await endWhatIsNoLongerGranted(tx, { clientId, before, after });
        await endedCreators.stopOfEnded(tx, { realmId, creators: { clientId }, at });
        const entry = { event: "client_update", actor: actorOf(principal), at } as const;
        await audit.record(tx, { ...entry, realmId, properties: { clientID: clientId, ...changes } });
      }
      return applicationView({ ...before, ...after });
    });
  },
});

async function endWhatIsNoLongerGranted(
  tx: Db,
  { clientId, before, after }: { clientId: string; before: ApplicationSettings; after: ApplicationSettings },
): Promise<void> {
  if (before.scopes.some((scope) => !after.scopes.includes(scope))) {
    await applications.endBeyondScopes(tx, { clientId, scopes: [...after.scopes, ...claimScopes] });
  }
  if (before.useClientSecret && !after.useClientSecret) await applications.removeSecrets(tx, { clientId });
}
