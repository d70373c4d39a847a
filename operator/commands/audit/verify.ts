import { z } from "zod";
import * as restoreEntries from "../../../db/queries/audit/restores.ts";
import type { AuditHead } from "../../../domain/audit/chain.ts";
import { createHeadVerifier, type HeadVerifier } from "../../../runtime/keys/audit-key.ts";
import { checkGuards, type GuardReport } from "../../audit/audit-guards.ts";
import { checkDatabase, type ChainReport } from "../../audit/audit-chain-in-database.ts";
import { checkExport } from "../../audit/audit-chain-in-export.ts";
import { exportsIn } from "../../audit/export-files.ts";
import { readHead, readPublicKey } from "../../audit/audit-files.ts";
import { option } from "../../../terminal/command.ts";
import { command } from "../command.ts";
import type { Context } from "../../context/context.ts";
import { usageError } from "../../../terminal/failure.ts";

export const auditVerify = command({
  name: "audit verify",
  about: "Checks that the audit log is as it was recorded: nothing changed, deleted, inserted, moved or back-dated.",
  options: {
    export: option(
      "file",
      "an export without a filter, as NDJSON, several in their order, or a directory of them; default: the database",
      z.array(z.string()).default([]),
      { many: true },
    ),
    publicKey: option("file", "the key to trust, kept elsewhere; default: this installation's", z.string().optional()),
    head: option("file", "a head kept elsewhere; the chain must contain it", z.string().optional()),
    acknowledged: option(
      "id",
      "the entry of a known restore: what it lost is reported, and is no fault",
      z.array(z.string().regex(/^[1-9][0-9]{0,17}$/, "must be the id of an entry")).default([]),
      { many: true },
    ),
  },
  async run({ export: files, publicKey, head, acknowledged }, context) {
    if (files.length > 0 && context.realmName !== undefined) {
      throw usageError("--realm names a realm of the database; an export is of one realm.");
    }
    const verifier = await createHeadVerifier(publicKey === undefined ? context.auditKey() : readPublicKey(publicKey));
    const kept = head === undefined ? undefined : await readHead(head, verifier);
    if (files.length > 0) {
      const reports: RealmReport[] = [];
      const groups = [...(await exportsIn(files)).values()];
      if (kept !== undefined && groups.length > 1) {
        throw usageError("A kept head is of one realm, and the exports are of several: name the files of that realm.");
      }
      for (const group of groups) reports.push(await checkExport(group, { verifier, kept }));
      return resultOf(reports);
    }
    const guards = await checkGuards(await context.db());
    if (!guards.compared) {
      context.say("This login may not act as realmpass_api, so the api's view of the log was not compared.");
    }
    return resultOf(await checkRealms(context, { verifier, kept, acknowledged }), guards);
  },
});

function resultOf(reports: readonly RealmReport[], guards?: GuardReport) {
  const ok = reports.every(({ faultCount }) => faultCount === 0) && (guards?.faults.length ?? 0) === 0;
  const json = {
    ok,
    ...(guards && { comparedWithApi: guards.compared, guards: guards.faults }),
    chains: reports.map(reportView),
  };
  const lines = [
    ...(guards?.faults.map(({ kind, message }) => `${kind}  ${message}`) ?? []),
    ...reports.map(reportText),
  ];
  return { json, text: lines.join("\n"), failed: !ok };
}

/** Checks the realms one after another, page by page. */
async function checkRealms(
  context: Context,
  {
    verifier,
    kept,
    acknowledged,
  }: { verifier: HeadVerifier; kept: AuditHead | undefined; acknowledged: readonly string[] },
): Promise<RealmReport[]> {
  const db = await context.db();
  const realms = await context.realms();
  if (kept !== undefined && !realms.some(({ id }) => id === kept.realm)) {
    throw usageError(`The kept head is of realm ${kept.realm}, which is not checked.`);
  }
  const reports: RealmReport[] = [];
  for (const { id: realmId } of realms) {
    const wanted = kept?.realm === realmId ? kept : undefined;
    const restores = await restoreEntries.listRestores(db, { realmId, ids: acknowledged });
    const restore = restores.find(({ position }) => wanted !== undefined && position < wanted.position);
    if (wanted === undefined || restore === undefined) {
      reports.push(await checkDatabase(db, { realmId, verifier, kept: wanted }));
    } else {
      const lost = { from: restore.position + 1, to: wanted.position, restore: restore.id };
      reports.push({ ...(await checkDatabase(db, { realmId, verifier, kept: undefined })), lost });
    }
  }
  return reports;
}

/** A report, and the positions that an acknowledged restore removed from the chain of the kept head. */
interface RealmReport extends ChainReport {
  lost?: { from: number; to: number; restore: string };
}

const reportView = ({ realm, entries, unsealed, end, faults, faultCount, lost }: RealmReport) => ({
  realm: realm === "" ? null : Number(realm),
  entries,
  unsealed,
  position: end.position,
  hash: end.hash,
  faultCount,
  faults,
  ...(lost && { lost }),
});

function reportText({ realm, entries, unsealed, faults, faultCount, lost }: RealmReport): string {
  const gone =
    lost && `; what was at positions ${lost.from} to ${lost.to} was lost with the restore of entry ${lost.restore}`;
  const counted = `${entries} sealed, ${unsealed} waiting to be sealed${gone ?? ""}`;
  if (faultCount === 0) return `realm ${realm}: ${counted}; nothing ${gone === undefined ? "" : "else "}is wrong.`;
  const more = faultCount - faults.length;
  return [
    `realm ${realm}: ${counted}; ${faultCount === 1 ? "1 thing is" : `${faultCount} things are`} wrong:`,
    ...faults.map(({ kind, message }) => `  ${kind}  ${message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join("\n");
}
