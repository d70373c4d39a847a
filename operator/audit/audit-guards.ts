import type { Database } from "../../db/client.ts";
import * as guards from "../../db/queries/audit/audit-guards.ts";
import { isAhead } from "../doctor/database.ts";

/**
 * A fault of the audit log's guards: a guard differs from what the migrations made, or the api and this command see
 * different entries.
 */
export interface GuardFault {
  kind: "guard_changed";
  message: string;
}

/** The findings about the guards, and whether this command could compare its view of the log with the api's. */
export interface GuardReport {
  compared: boolean;
  faults: GuardFault[];
}

/** Checks the catalog, and whether the api sees the same entries as this command. */
export async function checkGuards(db: Database): Promise<GuardReport> {
  const messages = await guards.findChangedGuards(db);
  if (messages.length > 0 && (await isAhead(db))) {
    messages.push(
      "The database is of a newer version than this program: only `audit verify` of that version can judge.",
    );
  }
  const seen = await guards.compareWithApi(db);
  if (seen !== undefined && (seen.own.count !== seen.api.count || seen.own.highest !== seen.api.highest)) {
    const described = ({ count, highest }: guards.SeenEntries): string => `${count} entries up to ${highest ?? "none"}`;
    messages.push(`realmpass_api sees ${described(seen.api)}, this command ${described(seen.own)}.`);
  }
  return {
    compared: seen !== undefined,
    faults: messages.map((message) => ({ kind: "guard_changed" as const, message })),
  };
}
