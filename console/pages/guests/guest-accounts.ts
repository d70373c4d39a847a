import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { base } from "../../api/page-settings.ts";

export type GuestAccount = Schemas["GuestAccount"];

/** The cache key of the list of guest accounts. */
export const guestAccountsKey = "guest-accounts";

/** The cache key of one guest account. */
export const guestAccountKey = (id: string) => ["guest-account", id] as const;

/** Returns the status of an account at a given time. */
export const guestAccountStatus = (
  { revoked, expirationDate }: Pick<GuestAccount, "revoked" | "expirationDate">,
  at: Date,
): "active" | "expired" | "revoked" => (revoked ? "revoked" : new Date(expirationDate) <= at ? "expired" : "active");

/** Reads the link for guests. The service records the read in the audit log. */
export async function readGuestLink(guestAccountId: string): Promise<string> {
  const params = { path: { guestAccountId } };
  const token = await dataOf(api.GET("/api/guest-token/{guestAccountId}", { params }));
  return `${location.origin}${base}/guest/${token}`;
}

/**
 * Reads the link's code and the address of the page where guests type the code. The service records the read in the
 * audit log.
 */
export async function readGuestCode(guestAccountId: string): Promise<{ code: string; page: string }> {
  const params = { path: { guestAccountId } };
  const code = await dataOf(api.GET("/api/guest-accounts/{guestAccountId}/code", { params }));
  return { code, page: `${location.host}${base}/code` };
}

/** Returns the address of the page that prints the link. */
export const sheetOf = (link: string): string => `${link}/sheet`;

/** The cache key of an account's profiles. */
export const guestProfilesKey = (id: string): string => `guest-account-${id}-profiles`;
