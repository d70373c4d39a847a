import { z } from "zod";
import type { AuditHead } from "../../domain/audit-chain.ts";
import { createHeadVerifier, type HeadVerifier } from "../../runtime/audit-key.ts";
import { checkGuards, type GuardReport } from "../audit/audit-guards.ts";
import { checkDatabase, type ChainReport } from "../audit/audit-chain-in-database.ts";
import { checkExport } from "../audit/audit-chain-in-export.ts";
import { readHead, readPublicKey } from "../audit/audit-files.ts";
import { option } from "../../terminal/command.ts";
import { command } from "./command.ts";
import type { Context } from "../context/context.ts";
import { usageError } from "../../terminal/failure.ts";

export const auditVerify = command({
  name: "audit verify",
  about: "Looks whether the audit log is what was recorded: nothing changed, deleted, inserted, moved or back-dated.",
  options: {
    export: option("file", "an export without a filter, as NDJSON; default: the database", z.string().optional()),
    publicKey: option("file", "the key to trust, kept elsewhere; default: our own", z.string().optional()),
    head: option("file", "a head kept elsewhere, which the chain has to contain", z.string().optional()),
  },
  async run({ export: exportFile, publicKey, head }, context) {
    if (exportFile !== undefined && context.realmName !== undefined) {
      throw usageError("--realm names a realm of the database; an export is of one realm.");
    }
    const verifier = await createHeadVerifier(publicKey === undefined ? context.auditKey() : readPublicKey(publicKey));
    const kept = head === undefined ? undefined : await readHead(head, verifier);
    if (exportFile !== undefined) return resultOf([await checkExport(exportFile, { verifier, kept })]);
    const guards = await checkGuards(await context.db());
    if (!guards.compared) {
      context.say("This login may not take on realmpass_api: what the api sees of the log was not compared.");
    }
    return resultOf(await checkRealms(context, { verifier, kept }), guards);
  },
});

function resultOf(reports: readonly ChainReport[], guards?: GuardReport) {
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

/** One after the other, each page by page. */
async function checkRealms(
  context: Context,
  { verifier, kept }: { verifier: HeadVerifier; kept: AuditHead | undefined },
): Promise<ChainReport[]> {
  const db = await context.db();
  const realms = await context.realms();
  if (kept !== undefined && !realms.some(({ id }) => id === kept.realm)) {
    throw usageError(`The head that was kept is of realm ${kept.realm}, which is not among those that are checked.`);
  }
  const reports: ChainReport[] = [];
  for (const { id } of realms) {
    reports.push(await checkDatabase(db, { realmId: id, verifier, kept: kept?.realm === id ? kept : undefined }));
  }
  return reports;
}

const reportView = ({ realm, entries, unsealed, end, faults, faultCount }: ChainReport) => ({
  realm: realm === "" ? null : Number(realm),
  entries,
  unsealed,
  position: end.position,
  hash: end.hash,
  faultCount,
  faults,
});

function reportText({ realm, entries, unsealed, faults, faultCount }: ChainReport): string {
  const counted = `${entries} sealed, ${unsealed} waiting to be sealed`;
  if (faultCount === 0) return `realm ${realm}: ${counted}; nothing is wrong.`;
  const more = faultCount - faults.length;
  return [
    `realm ${realm}: ${counted}; ${faultCount} things are wrong:`,
    ...faults.map(({ kind, message }) => `  ${kind}  ${message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join("\n");
}
