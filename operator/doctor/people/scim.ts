import type { Db } from "../../../db/client.ts";
import * as staticTokens from "../../../db/queries/oauth/static-tokens.ts";
import * as scimOverview from "../../../db/queries/people/scim-overview.ts";
import type { ScimConnection, ScimNumbers } from "../../../db/queries/people/scim-overview.ts";
import type { Context } from "../../context/context.ts";
import { dayOf } from "../certificates.ts";
import { fails, passes, warns, type Check } from "../check.ts";

/** A directory synchronises at least once an hour: if it is silent for this long, it has stopped. */
const silentHours = 48;

/** A static token that expires within this many days is reported. */
const endingDays = 14;

const hourMs = 3_600_000;

/**
 * Checks each realm with a directory: the directory calls, it contains everybody, its static tokens do not expire soon,
 * no deactivation from it waits for a decision, and it cannot take the last administrator's access.
 */
export async function checkScim(db: Db, context: Context): Promise<Check[]> {
  const at = context.clock.now();
  const checks = (await context.realms()).map(async ({ id: realmId, name: realm, newPeople }) => {
    const connections = (await scimOverview.listConnections(db, { realmId })).filter(({ active }) => active);
    const numbers = await scimOverview.count(db, { realmId });
    if (connections.length === 0 && numbers.people === 0 && newPeople !== "scim") return [];
    const name = `scim ${realm}`;
    const ending = await staticTokens.listEnding(db, {
      realmId,
      before: new Date(at.getTime() + endingDays * 24 * hourMs),
      at,
    });
    const found = [
      ...checkLastAdministrator(name, realm, numbers.isLastAdministratorManaged),
      ...checkHeld(name, numbers.heldJob),
      ...checkConnections(name, connections, at),
      ...ending.map(({ application, expiresAt }) =>
        warns(
          name,
          `a static token of "${application}" ends on ${dayOf(expiresAt)}; the directory is refused from then on`,
          "Make a second token on the application's page of the console, give it to the directory, and delete the first.",
        ),
      ),
      ...checkUnknown(name, numbers),
    ];
    return found.length > 0
      ? found
      : [passes(name, `the directory comes, and knows all ${numbers.active} people with access`)];
  });
  return (await Promise.all(checks)).flat();
}

function checkLastAdministrator(name: string, realm: string, isManaged: boolean): Check[] {
  if (!isManaged) return [];
  return [
    fails(
      name,
      "the realm's only administrator is known to the directory, and is refused to it when they leave",
      `Make somebody else an administrator: \`user create --realm ${realm} --username U --admin\` creates one whom no directory reaches.`,
    ),
  ];
}

function checkHeld(name: string, held: ScimNumbers["heldJob"]): Check[] {
  if (held === null) return [];
  return [
    warns(
      name,
      `the directory has deactivated more people than may leave within an hour: ${held.people} are locked out, their devices are still online until a person decides (job ${held.id})`,
      "Find out whether the directory means it. Then revoke or take everybody back on the job's page of the console.",
    ),
  ];
}

function checkConnections(name: string, connections: readonly ScimConnection[], at: Date): Check[] {
  const isSilent = ({ lastUsedAt, createdAt }: ScimConnection): boolean =>
    at.getTime() - (lastUsedAt ?? createdAt).getTime() > silentHours * hourMs;
  return connections
    .filter(isSilent)
    .map(({ name: connection, lastUsedAt }) =>
      warns(
        name,
        `people who leave keep their devices: "${connection}" ${lastUsedAt === null ? "has never come" : `last came at ${lastUsedAt.toISOString()}`}`,
        "Look at the provisioning log of the directory. If the connection is no longer used, delete or switch off its application.",
      ),
    );
}

function checkUnknown(name: string, { unknown, lastSignIns }: ScimNumbers): Check[] {
  if (unknown === 0) return [];
  return [
    warns(
      name,
      `${unknown} people with access are unknown to the directory, ${lastSignIns.unknown} of the last ${lastSignIns.people} who signed in: it will not take their access away`,
      "If it is nearly all of them, the claim of the sign-in and the attribute of the directory differ: see docs/guides/directory.md. Else offboard who should not be here.",
    ),
  ];
}
