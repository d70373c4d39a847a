import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as staticTokens from "../../../db/queries/oauth/static-tokens.ts";
import { ClientID } from "../../../domain/ids.ts";
import { staticTokensMax } from "../../../domain/limits.ts";
import { Networks } from "../../../domain/networks.ts";
import { recognisableName } from "../../../domain/text.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { newSecret, openSecret } from "./application-secret.ts";
import { requireHeld } from "./registration.ts";
import { staticTokenView, StaticTokenWithSecretView } from "./static-token-view.ts";

export const createStaticToken = endpoint({
  operation: "createStaticToken",
  summary: "Create a static token of an application",
  description:
    "For a directory that knows no OAuth: its application has the scope `scim`, and the token opens SCIM alone. " +
    "`token` is only in this response, and in the response to a repeat with the same Idempotency-Key. The caller " +
    "needs user.modify and user.delete.",
  method: "post",
  path: "/api/applications/:client_id/tokens",
  access: "staff",
  scope: "application.modify",
  params: z.object({ client_id: ClientID }),
  body: z.object({
    name: recognisableName(1, 100).nullish(),
    networks: Networks.default([]).describe("Where calls may come from. Empty: from everywhere."),
    expiresAt: z.iso.datetime({ offset: true }).nullish().describe("Omitted: it lasts until it is deleted."),
  }),
  data: StaticTokenWithSecretView,
  errors: ["application_not_found", "invalid_request", "machine_scope_required", "too_many_tokens"],
  unknown: { client_id: "application_not_found" },
  changes: true,
  secret: true,

  async handle({ params: { client_id: clientId }, body, principal, deps: { clock, masterKeys }, change, fail }) {
    const { realmId } = principal;
    const { name = null, networks } = body;
    const at = clock.now();
    const expiresAt = typeof body.expiresAt === "string" ? new Date(body.expiresAt) : null;
    if (expiresAt !== null && expiresAt <= at) {
      throw fail("invalid_request", { fields: [{ path: "expiresAt", reason: "must be in the future" }] });
    }

    const { created, sealed } = await change(async (tx) => {
      const application = await applications.lock(tx, { realmId, clientId });
      if (application === undefined) throw fail("application_not_found");
      requireHeld(principal, application.scopes);
      if (!application.scopes.includes("scim")) throw fail("machine_scope_required");
      await staticTokens.removeEnded(tx, { clientId, at });
      if ((await staticTokens.list(tx, { realmId, clientId })).length >= staticTokensMax) throw fail("too_many_tokens");

      const id = randomUUID();
      const secret = newSecret(masterKeys, "staticToken", id);
      const createdBy = principal.kind === "user" ? principal.userId : principal.clientId;
      const row = { id, name, networks, createdBy, expiresAt };
      await staticTokens.create(tx, { ...row, realmId, clientId, tokenHash: secret.hash, at });
      const until = expiresAt?.toISOString() ?? null;
      await audit.record(tx, {
        realmId,
        event: "static_token_create",
        actor: actorOf(principal),
        at,
        properties: { clientID: clientId, tokenID: id, name, networks, expiresAt: until },
      });
      return { created: staticTokenView({ ...row, createdAt: at, lastUsedAt: null }), sealed: secret.sealed };
    });

    return { ...created, token: openSecret(masterKeys, "staticToken", created.id, sealed) };
  },
});
