import { z } from "zod";
import type { Db } from "../../db/client.ts";
import * as guestAccounts from "../../db/queries/people/guest-accounts.ts";
import { requireStaffScope, type PrincipalFor } from "./access.ts";

/** Guest accounts by id, as `include=guests` returns them. */
export const GuestsView = z.record(z.string(), z.object({ name: z.string() }).meta({ id: "NamedGuestAccount" }));

/**
 * Returns the names of a page's guest accounts for `include=guests`, with one query; nothing if not requested. Throws
 * unless the caller may see guest accounts.
 */
export async function includedGuests(
  {
    includes,
    principal,
    deps: { db },
  }: { includes: ReadonlySet<string>; principal: PrincipalFor["staff"]; deps: { db: Db } },
  guestAccountIds: readonly string[],
): Promise<{ guests?: z.infer<typeof GuestsView> }> {
  if (!includes.has("guests")) return {};
  requireStaffScope(principal, "guest.view");
  const named = await guestAccounts.namesOf(db, { realmId: principal.realmId, ids: [...new Set(guestAccountIds)] });
  return { guests: Object.fromEntries(named.map(({ id, name }) => [id, { name }])) };
}
