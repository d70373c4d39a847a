import { z } from "zod";
import * as restores from "../../../db/queries/audit/restores.ts";
import { createHeadVerifier } from "../../../runtime/keys/audit-key.ts";
import { argument, flag, option } from "../../../terminal/command.ts";
import { CommandError, usageError } from "../../../terminal/failure.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { exportsIn } from "../../audit/export-files.ts";
import { readHead, readPublicKey } from "../../audit/audit-files.ts";
import { findLost, type Lost } from "../../restore/lost-entries.ts";
import { replay, type Replayed } from "../../restore/replay.ts";
import { command } from "../command.ts";

/** The most entries for manual work that the command lists individually. */
const byHandMax = 100;

export const revocationsReplay = command({
  name: "revocations replay",
  about: "Run after a restore: repeats every removal of access since the backup, from exports of the audit log.",
  arguments: {
    files: argument(
      "FILE…",
      "the exports of one realm without a filter, as NDJSON, in their order, or their directory",
      z.array(z.string(), "is required").min(1),
      { many: true },
    ),
  },
  options: {
    head: option("file", "a head kept elsewhere; the exports must reach it", z.string().optional()),
    publicKey: option("file", "the key to trust, kept elsewhere; default: this installation's", z.string().optional()),
    keepLost: flag("leave out profiles that were created since the backup and are unknown now", isSet),
    dryRun: flag("show what would be done, and change nothing", isSet),
  },
  async run({ files: paths, head, publicKey, keepLost, dryRun }, context) {
    const verifier = await createHeadVerifier(publicKey === undefined ? context.auditKey() : readPublicKey(publicKey));
    const kept = head === undefined ? undefined : await readHead(head, verifier);
    const realmIds = new Set((await context.realms()).map(({ id }) => id));
    const files = ofOneRealm(await exportsIn(paths), context.realmName);
    const db = await context.db();
    const lost = await findLost(db, { files, verifier, kept, realmIds });
    const restore = await restores.findRestoreBeyond(db, { realmId: lost.realmId, position: lost.fork });
    if (restore === undefined) {
      throw new CommandError("not_restored", "Run `database restored` first: this replays what a restore has lost.");
    }
    const replayed = await replay(db, lost, { at: context.clock.now(), keepLost, dryRun });
    return { json: view(lost, replayed, dryRun), text: text(lost, replayed, dryRun) };
  },
});

/** Returns the exports of one realm (the named one if there is a name), and the files named individually. */
function ofOneRealm(groups: ReadonlyMap<string, string[]>, realmName: string | undefined): string[] {
  const names = [...groups.keys()].filter((name) => realmName === undefined || name === "" || name === realmName);
  if (names.length === 0) throw usageError(`There is no export of the realm ${String(realmName)}.`);
  if (names.length > 1)
    throw usageError(`The exports are of several realms; name one with --realm: ${names.join(", ")}.`);
  return names.flatMap((name) => groups.get(name) ?? []);
}

function view(lost: Lost, { byHand, ...replayed }: Replayed, dryRun: boolean): Record<string, unknown> {
  return {
    realm: Number(lost.realmId),
    dryRun,
    lost: { from: lost.fork + 1, to: lost.end, entries: lost.entries.length },
    ...replayed,
    byHand: countOf(byHand),
    byHandEntries: byHand.slice(0, byHandMax).map(({ position, date, event, properties }) => ({
      position,
      date,
      event,
      properties: JSON.parse(properties) as unknown,
    })),
  };
}

/** Counts the entries of each event. */
function countOf(entries: Replayed["byHand"]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event } of entries) counts[event] = (counts[event] ?? 0) + 1;
  return counts;
}

function text(lost: Lost, replayed: Replayed, dryRun: boolean): string {
  const { revoked, listed, offboarded, locked, roles, guestAccounts, applications, lostProfiles, byHand } = replayed;
  if (lost.entries.length === 0) return "The database has all of the export: nothing was lost.";
  const left = Object.entries(countOf(byHand)).map(([event, count]) => `  ${event}: ${count}`);
  return [
    `Lost: ${lost.entries.length} entries, positions ${lost.fork + 1} to ${lost.end} of the exported audit log.`,
    `${dryRun ? "Would be done" : "Done"} again: ${revoked} profiles revoked, ${offboarded} people offboarded, ${locked} locked, ` +
      `${roles} without a role that they had, ${guestAccounts} guest accounts revoked, ${applications} applications switched off, or without an old secret or a deleted token.`,
    `Profiles created since the backup, which are unknown now: ${lostProfiles.length}; serial numbers put on the CRL: ${listed}.`,
    ...(left.length === 0 ? [] : ["Look at these in the export, and do by hand what still matters:", ...left]),
  ].join("\n");
}
