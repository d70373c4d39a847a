import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as tests from "../../../db/queries/sign-in/sign-in-tests.ts";
import { signInTestHours } from "../../../domain/lifetimes.ts";
import { upstreamStartPath } from "../../../runtime/config/addresses.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { findDraft, personOf } from "./sign-in-rules.ts";

export const startSignInTest = endpoint({
  operation: "startSignInTest",
  summary: "Begin a test sign-in",
  description:
    "The address leads the caller's own browser to the identity provider, which asks them to sign in again, and back to the console. It " +
    "signs nobody in and creates nobody; only the caller can read the report. A test of the same person that has not " +
    "passed ends.",
  method: "post",
  path: "/api/realm/sign-in/tests",
  access: "staff",
  scope: "realm.modify",
  furtherScopes: ["role.modify"],
  body: z.object({ of: z.enum(["draft", "current"]) }),
  data: z.object({ testID: z.string(), address: z.string() }),
  errors: ["sign_in_draft_not_found"],

  async handle({ body: { of }, principal, deps: { db, clock, settings }, fail }) {
    const { realmId, userId } = personOf(principal);
    const at = clock.now();
    let draftVersion: string | null = null;
    if (of === "draft") {
      const found = await findDraft(db, { realmId, at });
      if (found === undefined) throw fail("sign_in_draft_not_found");
      draftVersion = found.draft.version;
    } else if ((await realms.findUpstream(db, { id: realmId })) === undefined) {
      throw fail("sign_in_draft_not_found", { description: "This realm has no sign-in to test." });
    }
    const id = randomUUID();
    const expiresAt = new Date(at.getTime() + signInTestHours * 3_600_000);
    await db.transaction((tx) => tests.create(tx, { id, realmId, userId, draftVersion, expiresAt }));
    return { testID: id, address: `${settings.authUrl}${upstreamStartPath}?test=${id}` };
  },
});
