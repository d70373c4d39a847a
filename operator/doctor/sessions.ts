import type { Db } from "../../db/client.ts";
import type { ProcessState } from "../../db/queries/upkeep/processes.ts";
import * as sessions from "../../db/queries/upkeep/sessions.ts";
import type { Session } from "../../db/queries/upkeep/sessions.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/** Connections to keep free for an operator, a backup and manual queries, in addition to the processes' connections. */
const connectionsSpare = 10;

/** Checks that the server has enough connections for the running processes and for other programs. */
export async function checkConnections(db: Db, states: readonly ProcessState[]): Promise<Check> {
  const needed = states.reduce((sum, { alive, connectionsMax }) => sum + (alive ? connectionsMax : 0), 0);
  const { max, others, programs } = await sessions.readConnections(db);
  const message = `the processes open up to ${needed} connections, and ${connectionsSpare} are for operators; PostgreSQL allows ${max}`;
  if (needed + connectionsSpare > max)
    return warns(
      "connections",
      message,
      "Lower REALMPASS_DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL.",
    );
  return needed + others <= max
    ? passes("connections", message)
    : warns(
        "connections",
        `${message}; other programs have ${others} of them (${programs.join(", ")})`,
        "Raise max_connections of PostgreSQL, or limit these programs (`alter role … connection limit …`).",
      );
}

/** The check reports a lock once a session has waited this long for it, in seconds. Ordinary work waits less. */
const lockSecondsMax = 5;
/**
 * The check reports a transaction once it has been idle this long: the service's own transactions last only seconds.
 */
const idleSecondsMax = 60;

/** Checks that no session blocks others by a lock or has left a transaction open. */
export async function checkLocks(
  db: Db,
  { lockSeconds = lockSecondsMax, idleSeconds = idleSecondsMax }: { lockSeconds?: number; idleSeconds?: number } = {},
): Promise<Check> {
  const holders = await sessions.listHolders(db, { seconds: lockSeconds });
  if (holders.length > 0) {
    return fails(
      "locks",
      holders
        .map(({ waiting, seconds, tables, ...session }) => {
          const of = tables.length === 0 ? "" : ` of ${tables.join(", ")}`;
          return `${nameOf(session)} holds a lock${of} that ${waiting} ${waiting === 1 ? "session waits" : "sessions wait"} for, since ${seconds} s`;
        })
        .join("; "),
      `Find out what it does, and end it: ${endingOf(holders)}.`,
    );
  }
  const idle = await sessions.listIdleTransactions(db, { seconds: idleSeconds });
  if (idle === undefined) return passes("locks", "nobody waits for a lock");
  return idle.length === 0
    ? passes("locks", "nobody waits for a lock, and no transaction is left open")
    : warns(
        "locks",
        idle.map(({ seconds, ...session }) => `${nameOf(session)} left a transaction open ${seconds} s ago`).join("; "),
        `It keeps PostgreSQL from cleaning up: commit it, or end it: ${endingOf(idle)}.`,
      );
}

const nameOf = ({ pid, login, program }: Session): string =>
  `${program === "" ? login : program} (${login}, pid ${pid})`;

const endingOf = (found: readonly Session[]): string =>
  found.map(({ pid }) => `\`select pg_terminate_backend(${pid})\``).join(", ");
