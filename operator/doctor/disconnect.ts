import type { Db } from "../../db/client.ts";
import * as revoked from "../../db/queries/certificates/revoked.ts";
import type { Context } from "../context/context.ts";
import { passes, warns, type Check } from "./check.ts";

/**
 * Checks that the program that disconnects a realm's revoked devices, if the realm has one, still asks for revocations.
 */
export async function checkDisconnect(db: Db, context: Context): Promise<Check[]> {
  const checks = (await context.realms()).map(async ({ id, name: realmName }) => {
    const name = `disconnect ${realmName}`;
    const readers = await revoked.listReaders(db, { realmId: id });
    if (readers.length === 0) return [];
    const silent = readers.filter(({ isSilent }) => isSilent);
    if (silent.length === 0)
      return [passes(name, "revoked devices are disconnected: the programs that do it ask all the time")];
    return [
      warns(
        name,
        `revoked devices stay connected for an hour: ${silent.map(({ name: reader, readAt }) => `"${reader}" last asked at ${readAt.toISOString()}`).join(", ")}`,
        "Look at realmpass-disconnect on that RADIUS server (`systemctl status realmpass-disconnect`). If it no longer exists, delete or switch off its application.",
      ),
    ];
  });
  return (await Promise.all(checks)).flat();
}
