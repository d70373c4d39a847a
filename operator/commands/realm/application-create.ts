import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { ApplicationType, Scope, scopesAllowedTo, scopesFault } from "../../../domain/people/scopes.ts";
import { flag, option } from "../../../terminal/command.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { command } from "../command.ts";
import { recognisableName } from "../../../domain/text.ts";
import { RedirectUri, WebUri } from "../../../domain/uris.ts";
import { redirectUrisMax } from "../../../domain/limits.ts";
import { usageError } from "../../../terminal/failure.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";
import { lines } from "../views.ts";

export const applicationCreate = command({
  name: "application create",
  about: "Registers an OAuth client. Its secret is shown once.",
  options: {
    type: option("type", "useragent: acts for a signed-in user; service: acts on its own", ApplicationType),
    name: option("name", "the name that users see while they sign in", recognisableName(1, 200)),
    clientUri: option("uri", "the client's home page", WebUri),
    redirectUri: option(
      "uri",
      "where users return after signing in; for a useragent; up to 10, each with the option",
      z
        .array(RedirectUri)
        .max(redirectUrisMax)
        .transform((given) => [...new Set(given)])
        .default([]),
      { many: true },
    ),
    scopes: option(
      "list",
      "scopes, separated by spaces; default: all that the type may have but radius.read and scim, which stand alone",
      z.string().optional(),
    ),
    secret: flag("give a useragent a secret, too", isSet),
    firstParty: flag("a first-party application: people are not asked for consent", isSet),
    requirePkce: flag("refuse authorization requests without PKCE", isSet),
  },
  async run(input, context) {
    const { type, name, clientUri, redirectUri: redirectUris, requirePkce, firstParty } = input;
    if (type === "useragent" && redirectUris.length === 0)
      throw usageError("--redirect-uri is required for a useragent.");
    if (type === "service" && redirectUris.length > 0) throw usageError("A service has no --redirect-uri.");
    const scopes = input.scopes === undefined ? scopesAllowedTo(type) : parseScopes(input.scopes, type);
    const at = context.clock.now();
    const { id: realmId } = await context.realm();
    const db = await context.db();

    const clientId = randomUUID();
    const secret = type === "service" || input.secret ? drawSecretToken("clientSecret") : undefined;
    await db.transaction(async (tx) => {
      if (!firstParty && (await applications.isLikeFirstParty(tx, { realmId, clientId, name }))) {
        throw usageError("--name is the name of a part of this service.");
      }
      await applications.create(tx, {
        clientId,
        realmId,
        type,
        name,
        clientUri,
        redirectUris,
        scopes,
        useClientSecret: secret !== undefined,
        requirePkce,
        firstParty,
        createdBy: "operator",
        secretHash: secret?.hash ?? null,
        at,
      });
      await auditEntries.record(tx, {
        realmId,
        event: "client_create",
        actor: operatorActor,
        at,
        properties: {
          clientID: clientId,
          type,
          name,
          clientURI: clientUri,
          redirectURI: redirectUris[0] ?? null,
          redirectURIs: redirectUris,
          scopes,
        },
      });
    });
    const answer = { client_id: clientId, ...(secret && { client_secret: secret.token }) };
    return { json: answer, text: lines(answer) };
  },
});

function parseScopes(list: string, type: ApplicationType): Scope[] {
  const words = [...new Set(list.split(/\s+/).filter((word) => word !== ""))];
  if (words.length === 0) throw usageError("--scopes names no scope.");
  const scopes = words.map((word) => {
    const scope = Scope.safeParse(word);
    if (scope.success) return scope.data;
    throw usageError(`--scopes: there is no scope "${word}". There is: ${scopesAllowedTo(type).join(" ")}.`);
  });
  const fault = scopesFault(type, scopes);
  if (fault !== undefined) throw usageError(`--scopes: ${fault}.`);
  return scopes;
}
