import { z } from "zod";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import * as drafts from "../../../db/queries/sign-in/sign-in-drafts.ts";
import { writtenClaims } from "../../../domain/people/upstream-claims.ts";
import { openUnderMasterKey, sealUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { recordRealmUpdate } from "../realm/record-realm-update.ts";
import { findDraft, requireChangeable } from "./sign-in-rules.ts";

export const activateSignIn = endpoint({
  operation: "activateSignIn",
  summary: "Use the tested draft as the realm's sign-in from now on",
  description:
    "Only settings that have passed a test within the last hour. From then on only the operator changes the sign-in; " +
    "other ways to sign in stay.",
  method: "post",
  path: "/api/realm/sign-in/activate",
  access: "staff",
  scope: "realm.modify",
  furtherScopes: ["role.modify"],
  body: z.object({
    version: z.uuid().optional().describe("Use only this version of the draft. Omitted: the draft as it is."),
  }),
  data: Done,
  errors: ["operator_required", "sign_in_draft_not_found", "sign_in_draft_untested"],

  async handle({ body: { version }, principal, deps: { db, clock, masterKeys }, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    await db.transaction(async (tx) => {
      const before = await realms.lock(tx, realmId);
      requireChangeable(before, fail);
      const found = await findDraft(tx, { realmId, at });
      if (found === undefined) throw fail("sign_in_draft_not_found");
      const { draft, tested } = found;
      if (!tested || (version !== undefined && version !== draft.version)) throw fail("sign_in_draft_untested");
      const sealedSecret = sealedForRealm(masterKeys, draft);
      const after = await realms.setFirstUpstream(tx, realmId, { ...draft.settings, sealedSecret });
      await drafts.remove(tx, { realmId });
      await recordRealmUpdate(tx, { principal, at, before: written(before), after: written(after) });
    });
    return done;
  },
});

/** Seals the client secret of a draft for the realm. */
function sealedForRealm(keys: MasterKeys, { realmId, sealedSecret }: drafts.SignInDraft): Uint8Array | null {
  if (sealedSecret === null) return null;
  const secret = openUnderMasterKey(keys, sealedSecret, drafts.draftSecretContext(realmId));
  return sealUnderMasterKey(keys, secret, realms.upstreamSecretContext(realmId));
}

/** Returns the sign-in settings in the form that audit entries use. */
const written = (realm: RealmRow) => ({
  upstreamIssuer: realm.upstreamIssuer,
  upstreamClientID: realm.upstreamClientId,
  upstreamClientSecretSet: realm.upstreamClientSecretSet,
  ...writtenClaims(realm.upstreamClaims),
});
