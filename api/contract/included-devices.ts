import { z } from "zod";
import type { Db } from "../../db/client.ts";
import * as activity from "../../db/queries/certificates/profile-activity.ts";
import { profileKinds, scopeToRead } from "../../domain/certificate/profile.ts";
import { hasStaffScope, requireStaffScope, type PrincipalFor } from "./access.ts";

/** A profile that a list refers to by serial number. */
export const DeviceView = z
  .object({
    name: z.string(),
    kind: z.enum(profileKinds),
    owner: z.string().nullable().describe("The userID; null for a guest's and a server's."),
    guestAccountID: z.string().nullable(),
  })
  .meta({ id: "Device" });
export type DeviceView = z.infer<typeof DeviceView>;

/** Profiles by serial number, as `include=devices` returns them. */
export const DevicesView = z.record(z.string(), DeviceView);

/**
 * Returns the profiles of a page for `include=devices`, with one query; nothing if not requested. Throws unless the
 * caller may read people's profiles. Guests' and servers' profiles are left out if the caller may not read them.
 */
export async function includedDevices(
  {
    includes,
    principal,
    deps: { db },
  }: { includes: ReadonlySet<string>; principal: PrincipalFor["staff"]; deps: { db: Db } },
  serialNumbers: readonly (string | null | undefined)[],
): Promise<{ devices?: Record<string, DeviceView> }> {
  if (!includes.has("devices")) return {};
  requireStaffScope(principal, scopeToRead.user);
  const kinds = profileKinds.filter((kind) => hasStaffScope(principal, scopeToRead[kind]));
  const wanted = [...new Set(serialNumbers.filter((serial) => serial !== null && serial !== undefined))];
  const found = await activity.findDevices(db, { realmId: principal.realmId, serialNumbers: wanted, kinds });
  return {
    devices: Object.fromEntries(
      found.map(({ serialNumber, name, kind, userId, guestAccountId }) => [
        serialNumber,
        { name, kind, owner: userId, guestAccountID: guestAccountId },
      ]),
    ),
  };
}
