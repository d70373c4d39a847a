import { z } from "zod";
import * as offboarding from "../../../db/operations/offboarding.ts";
import { UserID } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/revocation.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { revocationWith } from "../profile/revocation.ts";

export const offboardUser = endpoint({
  operation: "offboardUser",
  summary: "Offboard a user",
  description:
    "The user can no longer sign in, their sessions and tokens end at once, what is being made for them fails, and all their profiles are revoked permanently.",
  method: "delete",
  path: "/api/user/:userID",
  access: "admin",
  scope: "user.delete",
  params: z.object({ userID: UserID }),
  body: revocationWith(revocationReasons.cessationOfOperation),
  data: Done,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },
  changes: true,

  handle({ params: { userID: userId }, body: { reason }, principal, deps: { clock }, change, fail }) {
    const { realmId } = principal;
    return change(async (tx) => {
      const found = await offboarding.offboard(tx, {
        realmId,
        userId,
        reason,
        actor: actorOf(principal),
        at: clock.now(),
      });
      if (!found) throw fail("user_not_found");
      return done;
    });
  },
});
