import { isDeepStrictEqual } from "node:util";
import { InsufficientScope } from "../../http/token-errors.ts";
import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import type { ApplicationSettings } from "../../../db/queries/oauth/applications.ts";
import type { FieldError } from "../../../domain/errors.ts";
import {
  ApplicationType,
  claimScopes,
  heldToGive,
  Scope,
  scopesFault,
  signInScopes,
} from "../../../domain/people/scopes.ts";
import { recognisableName } from "../../../domain/text.ts";
import { redirectUrisMax } from "../../../domain/limits.ts";
import { RedirectUri, WebUri } from "../../../domain/uris.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { hasStaffScope, type PrincipalFor } from "../../contract/access.ts";

const Scopes = z
  .array(Scope)
  .min(1)
  .max(100)
  .transform((given) => [...new Set(given)])
  .describe(
    "Only scopes that the caller has. A service cannot have openid, offline_access, role.modify or a scope of " +
      "claims. Every useragent may ask for profile, email, address and phone, listed or not. `radius.read` and `scim` " +
      "are each for a service that has no other scope; for the first the caller needs profile.read, for the second " +
      "user.modify and user.delete.",
  );

const RedirectUris = z
  .array(RedirectUri)
  .max(redirectUrisMax)
  .transform((given) => [...new Set(given)])
  .optional();

/** The body for registering an application. */
export const Registration = z.object({
  type: ApplicationType.describe("useragent: acts for a signed-in user; service: acts on its own."),
  active: z.boolean().default(true),
  name: recognisableName(1, 200),
  clientURI: WebUri.describe("The client's home page; signing out returns to its host."),
  redirectURI: RedirectUri.nullish().describe("Where users return after signing in; for a useragent."),
  redirectURIs: RedirectUris.describe("Instead of redirectURI, up to 10 of them. The first is redirectURI."),
  scopes: Scopes,
  useClientSecret: z.boolean().optional().describe("Omitted: a service has one, a useragent has none."),
  requirePKCE: z.boolean().optional().describe("Omitted: required of a useragent without a secret."),
  fullTokenAnswers: z.boolean().default(false).describe("Whether token answers contain expires_in and scope as well."),
});

/** The body for changing an application; every property is optional. */
export const RegistrationChange = z.object({
  type: ApplicationType.optional().describe("Cannot change."),
  active: z.boolean().optional().describe("When it is switched off, all its tokens are refused at once."),
  name: recognisableName(1, 200).optional(),
  clientURI: WebUri.optional(),
  redirectURI: RedirectUri.nullish().describe("Replaces the first redirect URI; the others stay."),
  redirectURIs: RedirectUris.describe("All redirect URIs. The first is redirectURI."),
  scopes: Scopes.optional().describe("Sessions and tokens with a removed scope end."),
  useClientSecret: z.boolean().optional(),
  requirePKCE: z.boolean().optional(),
  fullTokenAnswers: z.boolean().optional(),
});

/** Returns the settings of a new application. Fails if they contradict one another. */
export function settingsOf(given: z.output<typeof Registration>, fail: Fail<"invalid_request">): ApplicationSettings {
  const { type, active, name, clientURI, scopes, fullTokenAnswers } = given;
  const useClientSecret = given.useClientSecret ?? type === "service";
  const requirePkce = given.requirePKCE ?? (type === "useragent" && !useClientSecret);
  const settings = { type, active, name, clientUri: clientURI, scopes, useClientSecret, requirePkce, fullTokenAnswers };
  return withRedirectUris(settings, { before: [], given, faults: [], fail });
}

/**
 * Returns an application's settings after a change. Fails if the change names another type, or if the settings
 * contradict one another.
 */
export function changedBy(
  before: ApplicationSettings,
  given: z.output<typeof RegistrationChange>,
  fail: Fail<"invalid_request">,
): ApplicationSettings {
  const after = {
    type: before.type,
    active: given.active ?? before.active,
    name: given.name ?? before.name,
    clientUri: given.clientURI ?? before.clientUri,
    scopes: given.scopes ?? before.scopes,
    useClientSecret: given.useClientSecret ?? before.useClientSecret,
    requirePkce: given.requirePKCE ?? before.requirePkce,
    fullTokenAnswers: given.fullTokenAnswers ?? before.fullTokenAnswers,
  };
  const changesType = given.type !== undefined && given.type !== before.type;
  const faults = changesType ? [{ path: "type", reason: "cannot change" }] : [];
  return withRedirectUris(after, { before: before.redirectUris, given, faults, fail });
}

type GivenUris = Pick<z.output<typeof RegistrationChange>, "redirectURI" | "redirectURIs">;

/**
 * Returns the settings with the redirect URIs that the request leads to. Throws `invalid_request` if there are
 * `faults`, or if the settings contradict one another.
 */
function withRedirectUris(
  settings: Omit<ApplicationSettings, "redirectUris">,
  {
    before,
    given,
    faults,
    fail,
  }: { before: readonly string[]; given: GivenUris; faults: FieldError[]; fail: Fail<"invalid_request"> },
): ApplicationSettings {
  const redirectUris = redirectUrisOf(before, given);
  if (redirectUris === undefined) {
    throw fail("invalid_request", {
      fields: [...faults, { path: "redirectURI", reason: "must be the first of redirectURIs" }],
    });
  }
  return consistent(
    { ...settings, redirectUris },
    { faults, redirectPath: given.redirectURIs === undefined ? "redirectURI" : "redirectURIs", fail },
  );
}

/**
 * Returns the redirect URIs after a request; undefined if the request contradicts itself. `redirectURI` alone replaces
 * the first URI. If a client sends back both properties as it read them, with a change to one, that change counts.
 */
function redirectUrisOf(before: readonly string[], { redirectURI, redirectURIs }: GivenUris): string[] | undefined {
  if (redirectURI === undefined) return redirectURIs ?? [...before];
  const first = redirectURI ?? undefined;
  const replaced = first === undefined ? [] : [...new Set([first, ...before.slice(1)])];
  const list = redirectURIs ?? replaced;
  if (first === list[0]) return list;
  if (before.length > 0 && isDeepStrictEqual(list, before)) return replaced;
  return first === before[0] ? list : undefined;
}

function consistent(
  settings: ApplicationSettings,
  { faults, redirectPath, fail }: { faults: FieldError[]; redirectPath: string; fail: Fail<"invalid_request"> },
): ApplicationSettings {
  const { type, redirectUris, scopes, useClientSecret, requirePkce } = settings;
  const fault = (path: string, reason: string): unknown => faults.push({ path, reason });
  if (type === "service") {
    if (redirectUris.length > 0) fault(redirectPath, "must be left out for a service");
    if (!useClientSecret) fault("useClientSecret", "a service always has a secret");
    if (requirePkce) fault("requirePKCE", "a service asks for no authorization");
  } else if (redirectUris.length === 0) {
    fault(redirectPath, "a useragent needs one");
  }
  const scopesRefused = scopesFault(type, scopes);
  if (scopesRefused !== undefined) fault("scopes", scopesRefused);
  if (faults.length > 0) throw fail("invalid_request", { fields: faults });
  return settings;
}

/**
 * Returns the scopes that the caller must hold for this change: always the added scopes. If the change decides who can
 * act as the application or how users recognise it when they consent, the caller must hold all the application's
 * scopes, because making that change amounts to holding them.
 */
export function scopesAtStake(before: ApplicationSettings, after: ApplicationSettings): Scope[] {
  const decidesWho =
    before.name !== after.name ||
    before.clientUri !== after.clientUri ||
    after.redirectUris.some((uri) => !before.redirectUris.includes(uri)) ||
    before.useClientSecret !== after.useClientSecret ||
    before.requirePkce !== after.requirePkce ||
    (after.active && !before.active);
  return decidesWho ? after.scopes : after.scopes.filter((scope) => !before.scopes.includes(scope));
}

/** Fails if the name looks like a part of this service, as {@link applications.isLikeFirstParty} decides. */
export async function requireOwnName(
  tx: Db,
  named: { realmId: string; clientId: string; name: string },
  fail: Fail<"invalid_request">,
): Promise<void> {
  if (!(await applications.isLikeFirstParty(tx, named))) return;
  throw fail("invalid_request", { fields: [{ path: "name", reason: "is the name of a part of this service" }] });
}

/**
 * Throws unless the principal holds all these scopes. Every caller may give {@link claimScopes}, and a service may also
 * give the other {@link signInScopes}, which it never holds. A service cannot give any other scope that it cannot hold.
 */
export function requireHeld(principal: PrincipalFor["staff"], scopes: readonly Scope[]): void {
  const free = principal.kind === "service" ? signInScopes : claimScopes;
  const needed = new Set(scopes.flatMap(heldToGive));
  const missing = [...needed].filter((scope) => !free.includes(scope) && !hasStaffScope(principal, scope));
  if (missing.length > 0) {
    throw new InsufficientScope(missing, {
      description: `The access token lacks scopes that the application is to have: ${missing.join(" ")}.`,
    });
  }
}
