import type { Db } from "../../db/client.ts";
import * as certificates from "../../db/queries/certificates/certificates.ts";
import type { Context } from "../context/context.ts";
import { fails, warns, type Check } from "./check.ts";
import { endingDays } from "../../domain/process.ts";

const dayMs = 86_400_000;

/** Whether a certificate in use expires so soon that it should be renewed now. */
export const isEnding = (end: Date, at: Date): boolean => end.getTime() - at.getTime() < endingDays * dayMs;

export const dayOf = (at: Date): string => at.toISOString().slice(0, "2027-01-31".length);

/**
 * Reports certificates of RADIUS servers that expire soon or expired recently. Skips a certificate if a newer
 * certificate has the same name. Processes report the certificates in their own configuration.
 */
export async function checkCertificates(db: Db, context: Context): Promise<Check[]> {
  const at = context.clock.now();
  const after = new Date(at.getTime() - endingDays * dayMs);
  const before = new Date(at.getTime() + endingDays * dayMs);
  const checks = (await context.realms()).map(async ({ id, name: realm }) =>
    (await certificates.listServersEnding(db, { realmId: id, after, before })).map(({ identity, notAfter }) => {
      const name = `certificate ${identity}`;
      const remedy = `Issue a new infrastructure profile of the realm ${realm} for that name, and install it on the server.`;
      return notAfter <= at
        ? fails(name, `ended on ${dayOf(notAfter)}: devices refuse that server`, remedy)
        : warns(name, `ends on ${dayOf(notAfter)}`, remedy);
    }),
  );
  return (await Promise.all(checks)).flat();
}
