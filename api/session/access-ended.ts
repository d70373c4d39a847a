import * as certificates from "../../db/queries/certificates/certificates.ts";
import * as users from "../../db/queries/people/users.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem, type ProblemOptions } from "../pages/problem.tsx";
import { filled, timesIn } from "../pages/parts/times.tsx";

/** A user who has signed in but is offboarded. */
export interface Gone {
  realmId: string;
  userId: string;
}

/** Shows the user that their access has ended and, during a grace period, how long their devices stay connected. */
export async function sendAccessEnded(page: PageRequest, gone: Gone, options: ProblemOptions = {}): Promise<void> {
  const { deps } = page;
  const now = deps.clock.now();
  const [until, realm] = await Promise.all([findDevicesEnd(page, gone, now), realms.findById(deps.db, gone.realmId)]);
  const place = { timeZone: realm?.timeZone ?? "UTC", now };
  sendProblem(page, "offboarded", {
    ...options,
    ...(until && {
      note: (texts, language) => filled(texts.devicesStay, timesIn(language, place).moment(until)),
    }),
  });
}

/**
 * Returns the time when the user's remaining devices are revoked; undefined without a grace period that has an end,
 * after its end, or if no device remains.
 */
async function findDevicesEnd({ deps: { db } }: PageRequest, gone: Gone, at: Date): Promise<Date | undefined> {
  const revokeAt = (await users.findOffboarding(db, gone))?.grace?.revokeAt;
  if (revokeAt === undefined || revokeAt <= at) return undefined;
  const devices = await certificates.listActiveOfUser(db, { ...gone, at });
  return devices.length > 0 ? revokeAt : undefined;
}
