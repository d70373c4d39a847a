import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { base } from "../../api/page-settings.ts";

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

/** The link that guests open. That it was read is recorded. */
export async function readGuestLink(guestAccountId: string): Promise<string> {
  const params = { path: { guestAccountId } };
  const token = await dataOf(api.GET("/api/guest-token/{guestAccountId}", { params }));
  return `${location.origin}${base}/guest/${token}`;
}

/** The page that is the link on paper. */
export const sheetOf = (link: string): string => `${link}/sheet`;

/** The list of an account's profiles in the cache. */
export const guestProfilesKey = (id: string): string => `guest-account-${id}-profiles`;
