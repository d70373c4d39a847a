import { z } from "zod";
import type { User } from "../../../db/queries/people/users.ts";
import { Timestamp } from "./timestamp.ts";

export const UserView = z
  .object({
    userID: z.string(),
    pairwiseID: z.string(),
    email: z.string(),
    locked: z.boolean(),
    creationTime: Timestamp,
    realmID: z.string(),
    profileOverride: z.int(),
    maxProfiles: z.int(),
    profileCount: z.int(),
    blacklisted: z.boolean(),
    blacklistDate: Timestamp.nullable(),
    lockDate: Timestamp.nullable(),
    forgottenDate: Timestamp.optional().describe(
      "When the user was forgotten; only for forgotten users. `pairwiseID` and `email` are then empty.",
    ),
  })
  .meta({ id: "User" });
export type UserView = z.infer<typeof UserView>;

/** Converts a user to the specification's form, which calls offboarded "blacklisted". */
export const userView = (user: User): UserView => ({
  userID: user.id,
  pairwiseID: user.forgottenAt === null ? user.pairwiseId : "",
  email: user.email,
  locked: user.lockedAt !== null,
  creationTime: user.createdAt.toISOString(),
  realmID: user.realmId,
  profileOverride: user.profileOverride,
  maxProfiles: user.maxProfiles,
  profileCount: user.profileCount,
  blacklisted: user.offboardedAt !== null,
  blacklistDate: user.offboardedAt?.toISOString() ?? null,
  lockDate: user.lockedAt?.toISOString() ?? null,
  ...(user.forgottenAt !== null && { forgottenDate: user.forgottenAt.toISOString() }),
});
