import { z } from "zod";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import * as users from "../../../db/queries/people/users.ts";
import { hasEnded } from "../../../domain/people/guest-account.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { scopeToRead } from "../../../domain/certificate/profile.ts";
import { hasStaffScope } from "../../contract/access.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { OwnedProfileActivityView } from "../../contract/views/activity-view.ts";
import { knownPerson } from "./known-person.ts";
import { readActivities, readOffboarding } from "./read-activity.ts";

export const getProfileActivity = endpoint({
  operation: "getProfileActivity",
  summary: "Why the device of a profile may not be on the network",
  description:
    "A profile of any kind: `profile.read` is needed for people's, `guest.view` for guests', `infrastructure.read` for " +
    "servers'. Without it the profile does not exist. Names of people need `user.read`.",
  method: "get",
  path: "/api/profiles/:serial/activity",
  access: "staff",
  params: z.object({ serial: SerialNumber }),
  data: OwnedProfileActivityView,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },

  async handle({ params: { serial: serialNumber }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    const found = await activity.find(db, { realmId, serialNumber });
    if (found === undefined || !hasStaffScope(principal, scopeToRead[found.kind])) throw fail("profile_not_found");
    const { userId, guestAccountId } = found;
    const [owner, guestAccount] = await Promise.all([
      userId === null ? undefined : users.find(db, { realmId, userId, at }),
      guestAccountId === null ? undefined : guestAccounts.find(db, { realmId, guestAccountId, at }),
    ]);
    const offboarding = owner === undefined ? null : await readOffboarding(db, owner, { principal, at });
    const [read] = await readActivities(db, { rows: [found], offboarding, principal, at });
    if (read === undefined) throw fail("profile_not_found");
    return {
      ...read.view,
      owner: owner === undefined ? null : knownPerson(owner, principal),
      guestAccount:
        guestAccount === undefined
          ? null
          : {
              id: guestAccount.id,
              name: guestAccount.name,
              state:
                guestAccount.revokedAt !== null
                  ? ("revoked" as const)
                  : hasEnded(guestAccount, at)
                    ? ("expired" as const)
                    : ("active" as const),
            },
    };
  },
});
