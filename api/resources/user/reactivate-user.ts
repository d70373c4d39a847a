import { z } from "zod";
import * as reactivation from "../../../db/operations/reactivation.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

export const reactivateUser = endpoint({
  operation: "reactivateUser",
  summary: "Let an offboarded user sign in again",
  description:
    "Nothing comes back: neither profiles nor sessions nor roles; those from the identity provider return with the next " +
    "sign-in through it. A forgotten user stays forgotten; if they return, they are a new user.",
  method: "put",
  path: "/api/user/:userID/undelete",
  access: "staff",
  scope: "user.modify",
  params: z.object({ userID: UserID }),
  data: Done,
  errors: ["user_not_found", "user_forgotten"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    await db.transaction(async (tx) => {
      const user = await users.lock(tx, { realmId, userId });
      if (user === undefined) throw fail("user_not_found");
      if (user.forgottenAt !== null) throw fail("user_forgotten");
      if (user.offboardedAt === null) return;
      await reactivation.letOneBackIn(tx, {
        realmId,
        userId,
        offboardedAt: user.offboardedAt,
        actor: actorOf(principal),
        at: clock.now(),
      });
    });
    return done;
  },
});
