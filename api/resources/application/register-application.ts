import { randomUUID } from "node:crypto";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import {
  applicationSettingsView,
  applicationView,
  ApplicationWithSecretView,
} from "../../contract/views/application-view.ts";
import { newSecret, openSecret } from "./application-secret.ts";
import { Registration, requireHeld, requireOwnName, settingsOf } from "./registration.ts";

export const registerApplication = endpoint({
  operation: "registerApplication",
  summary: "Register an application",
  description:
    "`client_secret` is only in this response, and in the response to a repeat with the same Idempotency-Key.",
  method: "post",
  path: "/api/applications",
  access: "staff",
  scope: "application.modify",
  body: Registration,
  data: ApplicationWithSecretView,
  errors: ["invalid_request"],
  changes: true,

  async handle({ body, principal, deps: { clock, masterKeys }, change, fail }) {
    const settings = settingsOf(body, fail);
    requireHeld(principal, settings.scopes);
    const { realmId } = principal;
    const at = clock.now();

    const { application, sealedSecret } = await change(async (tx) => {
      const clientId = randomUUID();
      await requireOwnName(tx, { realmId, clientId, name: settings.name }, fail);
      const secret = settings.useClientSecret ? newSecret(masterKeys, "clientSecret", clientId) : undefined;
      const createdBy = principal.kind === "user" ? principal.userId : principal.clientId;
      const row = { ...settings, clientId, realmId, createdBy };
      await applications.create(tx, { ...row, secretHash: secret?.hash ?? null, at });
      await audit.record(tx, {
        realmId,
        event: "client_create",
        actor: actorOf(principal),
        at,
        properties: { clientID: clientId, ...applicationSettingsView(settings) },
      });
      return {
        application: applicationView({ ...row, firstParty: false, createdAt: at, lastUsedAt: null }),
        sealedSecret: secret?.sealed,
      };
    });

    if (sealedSecret === undefined) return application;
    return {
      ...application,
      client_secret: openSecret(masterKeys, "clientSecret", application.client_id, sealedSecret),
    };
  },
});
