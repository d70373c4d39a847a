import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as users from "../../../db/queries/people/users.ts";
import { momentIn } from "../pages/dates.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem, type ProblemOptions } from "../pages/problem.tsx";

/** Somebody who was offboarded and has shown who they are. */
export interface Gone {
  realmId: string;
  userId: string;
}

/** Says that somebody's access has ended, and in days of grace until when their devices stay on. */
export async function sendAccessEnded(page: PageRequest, gone: Gone, options: ProblemOptions = {}): Promise<void> {
  const until = await findDevicesEnd(page, gone);
  sendProblem(page, "offboarded", {
    ...options,
    ...(until && { note: (texts, language) => texts.devicesStay(momentIn(language, until)) }),
  });
}

/** When the devices go off that somebody still has; undefined: there are none, or it is time. */
async function findDevicesEnd({ deps: { db, clock } }: PageRequest, gone: Gone): Promise<Date | undefined> {
  const at = clock.now();
  const revokeAt = (await users.findOffboarding(db, gone))?.grace?.revokeAt;
  if (revokeAt === undefined || revokeAt <= at) return undefined;
  const devices = await certificates.listActiveOfUser(db, { ...gone, at });
  return devices.length > 0 ? revokeAt : undefined;
}
