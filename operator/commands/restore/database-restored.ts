import { openDatabase } from "../../../db/client.ts";
import * as restoring from "../../../db/operations/restoring.ts";
import * as processes from "../../../db/queries/upkeep/processes.ts";
import { processKinds } from "../../../domain/process.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { command } from "../command.ts";

export const databaseRestored = command({
  name: "database restored",
  about:
    "Run after a restore from a backup, before any process starts, as the login that owns the database: no number is assigned twice, and everybody has to sign in again.",
  options: {},
  async run(_, context) {
    const db = openDatabase({
      url: await context.databaseUrl(),
      role: undefined,
      connectionsMax: 1,
      applicationName: "realmpass operator",
    });
    try {
      const restores = await db.transaction(async (tx) => {
        const alive: string[] = [];
        for (const kind of processKinds) if ((await processes.countAlive(tx, kind)) > 0) alive.push(kind);
        if (alive.length > 0) {
          throw new CommandError(
            "processes_running",
            `Stop everything first: of the kinds ${alive.join(", ")} a process is running, or was 15 seconds ago.`,
          );
        }
        return restoring.markRestored(tx, { at: context.clock.now() });
      });
      const lines = restores.map(
        ({ realmId, id, position }) =>
          `realm ${realmId}: its audit log ends at position ${position}; the entry is ${id}.`,
      );
      return {
        json: {
          realms: restores.map(({ realmId, id, position }) => ({ realm: Number(realmId), entry: id, position })),
        },
        text: [...lines, "Next: `revocations replay` with the exports of the audit log, and only then start."].join(
          "\n",
        ),
      };
    } finally {
      await db.close();
    }
  },
});
