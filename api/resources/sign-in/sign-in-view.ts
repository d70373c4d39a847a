import { z } from "zod";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { SignInDraft } from "../../../db/queries/sign-in/sign-in-drafts.ts";
import { Role, roles } from "../../../domain/people/roles.ts";
import { ClaimName, ClaimRule, mayUseMax, roleRulesMax, roleRulesOf } from "../../../domain/people/upstream-claims.ts";
import type { UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

/** How the claims of an identity provider map to a person. */
export const SignInMapping = z
  .object({
    pairwiseID: ClaimName.optional().describe("The claim with the pairwise id. Omitted: `pairwise_id`, else `sub`."),
    email: ClaimName.optional().describe("Omitted: `email`."),
    displayName: ClaimName.optional().describe("Omitted: `name`."),
    mayUse: z
      .array(ClaimRule)
      .max(mayUseMax)
      .optional()
      .describe("People who meet one of these rules may use the realm; omitted or empty: all people may."),
    roles: z
      .partialRecord(Role, z.array(ClaimRule).min(1).max(roleRulesMax))
      .optional()
      .describe("The rules that give each role. The identity provider gives and removes these roles alone."),
  })
  .meta({ id: "SignInMapping" });
export type SignInMapping = z.output<typeof SignInMapping>;

/** A realm's settings for the sign-in through its identity provider. */
export const SignInView = z
  .object({
    kind: z.literal("oidc").nullable().describe("The protocol of the identity provider; null: there is none."),
    changeable: z.boolean().describe("It can be set here: it was never set, and the set-up is not finished."),
    callbackURI: z.string().describe("The redirect URI to register at the identity provider."),
    provider: z.object({ issuer: z.string() }).nullable(),
    clientID: z.string().nullable(),
    clientSecretSet: z.boolean(),
    mapping: SignInMapping,
    lastSignInAt: Timestamp.nullable().describe("When a person last signed in through it; null: nobody has."),
    draft: z
      .object({
        version: z.string().describe("New with each change."),
        kind: z.literal("oidc"),
        provider: z.object({ issuer: z.string() }),
        clientID: z.string(),
        clientSecretSet: z.boolean(),
        mapping: SignInMapping,
        found: z.object({
          authorizationEndpoint: z.string().describe("Where people sign in."),
          claims: z.array(z.string()).describe("The claims that the identity provider says it has."),
        }),
        tested: z.boolean().describe("This version has passed a test within the last hour."),
        expirationTime: Timestamp,
      })
      .nullable()
      .describe("A sign-in that is being set up and signs nobody in."),
    operatorCommand: z.string().describe("The operator's command that sets it, with the current values."),
  })
  .meta({ id: "SignIn" });
export type SignInView = z.input<typeof SignInView>;

const mappingOf = (claims: UpstreamClaims): SignInMapping => {
  const { pairwiseId, email, displayName, mayUse = [] } = claims;
  const rules = roleRulesOf(claims);
  return {
    ...(pairwiseId !== undefined && { pairwiseID: pairwiseId }),
    ...(email !== undefined && { email }),
    ...(displayName !== undefined && { displayName }),
    mayUse,
    roles: Object.fromEntries(roles.flatMap((role) => (rules[role] ? [[role, [...rules[role]]]] : []))),
  };
};

export const draftView = (
  { version, settings, sealedSecret, found, expiresAt }: SignInDraft,
  { tested }: { tested: boolean },
): NonNullable<SignInView["draft"]> => ({
  version,
  kind: settings.kind,
  provider: { issuer: settings.issuer },
  clientID: settings.clientId,
  clientSecretSet: sealedSecret !== null,
  mapping: mappingOf(settings.claims),
  found: { ...found, claims: [...found.claims] },
  tested,
  expirationTime: expiresAt.toISOString(),
});

export const signInView = (
  realm: RealmRow,
  rest: Pick<SignInView, "changeable" | "callbackURI" | "draft" | "operatorCommand"> & { lastSignInAt: Date | null },
): SignInView => ({
  ...rest,
  kind: realm.upstreamKind,
  provider: realm.upstreamIssuer === null ? null : { issuer: realm.upstreamIssuer },
  clientID: realm.upstreamClientId,
  clientSecretSet: realm.upstreamClientSecretSet,
  mapping: mappingOf(realm.upstreamClaims),
  lastSignInAt: rest.lastSignInAt?.toISOString() ?? null,
});
