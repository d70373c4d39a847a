import { z } from "zod";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { requireScope, requireStaffScope } from "../../contract/access.ts";
import { isStaff } from "../../contract/principal.ts";
import { streaming } from "../../contract/stream.ts";
import { UserExportView } from "../../contract/views/user-export-view.ts";
import { exportUser, ownSecondsMin } from "./user-data.ts";

/** The scopes for the lists that the export takes the user's data from. */
const staffScopes = ["user.read", "profile.read", "job.read", "audit.read"] as const;

export const exportUserData = streaming({
  operation: "exportUserData",
  summary: "All data about a user",
  description:
    "One JSON object, streamed, without the wrapper. It never contains a secret, a key or another person's data. " +
    "People with a role can export any user's data, with the scopes " +
    `${staffScopes.map((scope) => `\`${scope}\``).join(", ")}; others only their own, ` +
    "with `profile.read`, once a minute; any other user is a 404 for them. Written to the audit log as `user_export`.",
  path: "/api/user/:userID/export",
  access: "any",
  params: z.object({ userID: UserID }),
  query: z.object({}),
  types: { "application/json": UserExportView },
  errors: ["user_not_found", "insufficient_scope", "too_many_requests"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal, deps, fail }) {
    const isSelf = principal.kind === "user" && principal.userId === userId;
    if (isSelf) requireScope(principal, "profile.read");
    else if (!isStaff(principal)) throw fail("user_not_found");
    else for (const scope of staffScopes) requireStaffScope(principal, scope);
    const user = await users.find(deps.db, { realmId: principal.realmId, userId, at: deps.clock.now() });
    if (user === undefined) throw fail("user_not_found");
    const file = await exportUser(deps, { principal, user, isSelf });
    if (file === undefined) throw fail("too_many_requests", { retryAfterSeconds: ownSecondsMin });
    return file;
  },
});
