import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as drafts from "../../../db/queries/sign-in/sign-in-drafts.ts";
import { signInDraftHours } from "../../../domain/lifetimes.ts";
import { upstreamSecretBytesMax } from "../../../domain/limits.ts";
import { signInChecks } from "../../../domain/people/sign-in-checks.ts";
import { text } from "../../../domain/text.ts";
import { isOpenIssuer, UpstreamIssuer } from "../../../domain/uris.ts";
import { sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { endpoint, failWith } from "../../contract/endpoint.ts";
import { draftView, SignInMapping, SignInView } from "./sign-in-view.ts";
import { claimsOf, personOf, realmOf, requireChangeable } from "./sign-in-rules.ts";

const ClientSecret = text(1, upstreamSecretBytesMax).refine(
  (secret) => Buffer.byteLength(secret) <= upstreamSecretBytesMax,
  `must have at most ${upstreamSecretBytesMax} bytes`,
);

export const setSignInDraft = endpoint({
  operation: "setSignInDraft",
  summary: "Set up a sign-in without using it yet",
  description:
    "Reads the identity provider's own documents and returns what it found. The draft replaces the one before and is " +
    "kept for a day; a test shows whether it works. Allowed once, before the set-up is finished: afterwards only the " +
    "operator sets the sign-in.",
  method: "put",
  path: "/api/realm/sign-in/draft",
  access: "staff",
  scope: "realm.modify",
  furtherScopes: ["role.modify"],
  body: z
    .object({
      kind: z.literal("oidc"),
      issuer: UpstreamIssuer.describe("The issuer identifier (OpenID Connect Discovery section 2)."),
      clientID: text(1, 255),
      clientSecret: ClientSecret.nullish().describe(
        "null: a public client. Omitted: the one of the draft before, if issuer and client id are the same.",
      ),
      mapping: SignInMapping.default({}),
    })
    .refine(({ issuer, mapping }) => !isOpenIssuer(issuer) || (mapping.mayUse ?? []).length > 0, {
      path: ["mapping", "mayUse"],
      error: signInChecks.open,
    }),
  data: SignInView.shape.draft.unwrap(),
  errors: ["operator_required"],

  async handle({ body, principal, deps: { db, clock, masterKeys, checkProvider }, fail }) {
    const { realmId, userId } = personOf(principal);
    const { kind, issuer, clientID: clientId, clientSecret, mapping } = body;
    requireChangeable(await realmOf(db, realmId), fail);
    const checked = await checkProvider(issuer);
    if ("fault" in checked) {
      throw failWith("invalid_request", { fields: [{ path: "issuer", reason: signInChecks[checked.fault] }] });
    }
    const at = clock.now();
    return db.transaction(async (tx) => {
      requireChangeable(await realms.lock(tx, realmId), fail);
      const before = await drafts.find(tx, { realmId, at });
      const isSame = before?.settings.issuer === issuer && before.settings.clientId === clientId;
      const sealedSecret =
        clientSecret === undefined
          ? isSame
            ? before.sealedSecret
            : null
          : clientSecret === null
            ? null
            : sealUnderMasterKey(masterKeys, Buffer.from(clientSecret), drafts.draftSecretContext(realmId));
      const draft = {
        realmId,
        version: randomUUID(),
        settings: { kind, issuer, clientId, claims: claimsOf(mapping) },
        sealedSecret,
        found: checked.found,
        expiresAt: new Date(at.getTime() + signInDraftHours * 3_600_000),
      };
      await drafts.store(tx, { ...draft, updatedBy: userId });
      return draftView(draft, { tested: false });
    });
  },
});
