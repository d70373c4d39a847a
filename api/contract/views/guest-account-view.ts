import { z } from "zod";
import type { CountedGuestAccount } from "../../../db/queries/people/guest-accounts.ts";
import { Timestamp } from "./timestamp.ts";

export const GuestAccountView = z
  .object({
    id: z.string(),
    name: z.string(),
    creationDate: Timestamp,
    expirationDate: Timestamp,
    note: z.string().nullable(),
    profileLimit: z.int().nullable().describe("null: unlimited."),
    revoked: z.boolean(),
    activeProfileCount: z.int(),
  })
  .meta({ id: "GuestAccount" });
export type GuestAccountView = z.infer<typeof GuestAccountView>;

export const guestAccountView = (account: CountedGuestAccount): GuestAccountView => ({
  id: account.id,
  name: account.name,
  creationDate: account.createdAt.toISOString(),
  expirationDate: account.expiresAt.toISOString(),
  note: account.note,
  profileLimit: account.profileLimit,
  revoked: account.revokedAt !== null,
  activeProfileCount: account.activeProfileCount,
});
