import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as users from "../../../db/queries/people/users.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { isRenewable } from "../../../domain/certificate/renewal.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { single } from "../../pages/page-request.ts";
import { requireSignedIn, type SignedInOwner } from "./signed-in-owner.ts";
import { sendDevices } from "./views/devices.tsx";
import { statusOf } from "./views/status.tsx";

/** `GET /me`: shows the profiles of the signed-in user. */
export async function showDevices(page: PageRequest): Promise<void> {
  const me = await requireSignedIn(page);
  if (me === undefined) return;
  const { db, clock } = page.deps;
  const { realmId, userId } = me.principal;
  const at = clock.now();
  const [profiles, unsettled, renewals, revoked] = await Promise.all([
    certificates.listActiveOfUser(db, { realmId, userId, at }),
    issuances.listUnsettledOfUser(db, { realmId, userId }),
    issuances.listRenewalsOfUser(db, { userId }),
    revokedJustNow(page, me),
  ]);
  // The notice of the user's absence is shown only once. A page with an unsettled issuance reloads itself soon, which
  // would remove the notice before the user reads it.
  const absence = unsettled.length === 0 ? await users.takeAbsence(db, { realmId, userId }) : undefined;
  const renewed = new Set(renewals.filter(({ isUndone }) => !isUndone).map(({ certificateId }) => certificateId));
  sendDevices(page, me, {
    unsettled,
    revoked,
    absence: absence && { ...absence, hasKeptDevices: profiles.some(({ createdAt }) => createdAt < absence.from) },
    profiles: profiles.map((profile) => ({
      ...profile,
      status: statusOf(profile, { at, renewed: renewed.has(profile.id) }),
      renewable: isRenewable(profile, at) && !renewed.has(profile.id),
    })),
  });
}

/** Returns the name of the profile in the address, for a notice, if the profile is the user's and revoked. */
async function revokedJustNow(page: PageRequest, { principal }: SignedInOwner): Promise<string | undefined> {
  const serialNumber = SerialNumber.safeParse(single(page, "revoked"));
  if (!serialNumber.success) return undefined;
  const { realmId, userId } = principal;
  const found = await certificates.findOfUser(page.deps.db, { realmId, userId, serialNumber: serialNumber.data });
  return found === undefined || found.revokedAt === null ? undefined : found.name;
}
