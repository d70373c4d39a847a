import { z } from "zod";
import * as identities from "../../../db/queries/sign-in/upstream-identities.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

const UserSignInView = z
  .object({
    identities: z
      .array(z.object({ issuer: z.string(), since: Timestamp }))
      .describe("The identity providers through which the user has signed in, the first one first."),
    notPermittedSince: Timestamp.nullable().describe(
      "When the realm first refused the user because of the identity provider's claims; null: they may use it.",
    ),
  })
  .meta({ id: "UserSignIn" });

export const getUserSignIn = endpoint({
  operation: "getUserSignIn",
  summary: "A user's identity providers, and since when they no longer permit the realm",
  method: "get",
  path: "/api/user/:userID/sign-in",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: UserSignInView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    const found = await identities.findOfUser(db, { realmId, userId });
    if (found === undefined) throw fail("user_not_found");
    return {
      identities: found.identities.map(({ issuer, since }) => ({ issuer, since: since.toISOString() })),
      notPermittedSince: found.notPermittedSince?.toISOString() ?? null,
    };
  },
});
