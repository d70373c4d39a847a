import type { Schemas } from "../../api/api-client.ts";

export type GuestAccount = Schemas["GuestAccount"];

/** The list of guest accounts in the cache. */
export const guestAccountsKey = "guest-accounts";

/** One of them. */
export const guestAccountKey = (id: string) => ["guest-account", id] as const;

/** Where an account stands at a moment. */
export const guestAccountStatus = (
  { revoked, expirationDate }: Pick<GuestAccount, "revoked" | "expirationDate">,
  at: Date,
): "active" | "expired" | "revoked" => (revoked ? "revoked" : new Date(expirationDate) <= at ? "expired" : "active");

/** The list of an account's profiles in the cache. */
export const guestProfilesKey = (id: string): string => `guest-account-${id}-profiles`;
