import { z } from "zod";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import * as users from "../../../db/queries/people/users.ts";
import { diagnosePerson } from "../../../domain/certificate/diagnosis.ts";
import { UserID } from "../../../domain/ids.ts";
import { Role } from "../../../domain/people/roles.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  DiagnosisView,
  diagnosisView,
  KnownPersonView,
  PersonNoteView,
  personNoteView,
  ProfileActivityView,
} from "../../contract/views/activity-view.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";
import { knownPerson } from "../profile/known-person.ts";
import { readActivities, readOffboarding } from "../profile/read-activity.ts";

const profilesMax = 50;

const UserActivityView = z
  .object({
    person: KnownPersonView,
    roles: z.array(Role),
    lastSignIn: Timestamp.nullable(),
    profiles: z
      .array(ProfileActivityView)
      .describe(`Profiles that are active or ended within 90 days, newest first, at most ${profilesMax}.`),
    diagnosis: DiagnosisView,
    notes: z.array(PersonNoteView).describe("Further facts, which are not the cause."),
  })
  .meta({ id: "UserActivity" });

export const getUserActivity = endpoint({
  operation: "getUserActivity",
  summary: "Why a person's device may not be on the network",
  method: "get",
  path: "/api/user/:userID/activity",
  access: "staff",
  scope: "user.read",
  furtherScopes: ["profile.read"],
  params: z.object({ userID: UserID }),
  data: UserActivityView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    const user = await users.find(db, { realmId, userId, at });
    if (user === undefined) throw fail("user_not_found");
    const [rows, failure, lastSignIn, offboarding] = await Promise.all([
      activity.listOfUser(db, { realmId, userId, at, limit: profilesMax }),
      activity.latestFailure(db, { realmId, userId }),
      activity.lastSignIn(db, { realmId, userId }),
      readOffboarding(db, user, { principal, at }),
    ]);
    const profiles = await readActivities(db, { rows, offboarding, principal, at });
    const isIn = user.offboardedAt === null;
    return {
      person: knownPerson(user, principal),
      roles: user.roles,
      lastSignIn: lastSignIn?.toISOString() ?? null,
      profiles: profiles.map(({ view }) => view),
      diagnosis: diagnosisView(diagnosePerson({ offboarding, failure: failure ?? null, newest: profiles[0] ?? null })),
      notes: [
        ...(isIn && user.lockedAt !== null ? [personNoteView("locked", { since: user.lockedAt })] : []),
        ...(isIn && user.profileCount >= user.maxProfiles ? [personNoteView("limit_reached")] : []),
        ...(offboarding !== null && offboarding.revokeAt !== null
          ? [personNoteView("in_grace", { since: offboarding.at, until: offboarding.revokeAt })]
          : []),
      ],
    };
  },
});
