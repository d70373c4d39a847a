import type { Db } from "../../db/client.ts";
import * as crls from "../../db/queries/certificates/crls.ts";
import type { Context } from "../context/context.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/** Checks that every issuer has a current CRL: without one, RADIUS servers that check CRLs refuse every device. */
export async function checkCrls(db: Db, context: Context): Promise<Check[]> {
  const realms = new Map((await context.realms()).map(({ id, name }) => [id, name]));
  const states = await crls.listStates(db, { at: context.clock.now() });
  return states.flatMap((state) => {
    const realm = realms.get(state.realmId);
    return realm === undefined ? [] : [checkCrl(state, realm)];
  });
}

function checkCrl({ issuerId, crl, standing }: crls.CrlState, realm: string): Check {
  const name = `crl ${realm} ${issuerId}`;
  const remedy = `If no worker runs, see processes; else look for "crl.failed" in the workers' logs, and \`crl publish --realm ${realm}\` tries again.`;
  const until = crl?.nextUpdate.toISOString() ?? "";
  switch (standing) {
    case "current":
      return passes(name, `${crl?.entries ?? 0} entries, until ${until}`);
    case "overdue":
      return warns(name, `not replaced in time; it ends at ${until}`, remedy);
    case "stale":
      return fails(name, `ended at ${until}: RADIUS servers that check it let nobody in`, remedy);
    case "missing":
      return fails(name, "there is none: RADIUS servers that check it let nobody in", remedy);
  }
}
