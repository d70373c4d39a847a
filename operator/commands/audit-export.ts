import { z } from "zod";
import * as auditExports from "../../db/queries/audit/audit-exports.ts";
import { createHeadVerifier } from "../../runtime/audit-key.ts";
import { option } from "../../terminal/command.ts";
import { exportAudit, type Exported } from "../audit/audit-export-files.ts";
import { command } from "./command.ts";

export const auditExport = command({
  name: "audit export",
  about:
    "Writes what the audit log has gained since the last time into a file for each realm: kept on another machine, it has the revocations that a restore loses.",
  options: {
    out: option("dir", "the directory of the files; it goes on after the newest", z.string().min(1)),
  },
  async run({ out }, context) {
    const verifier = await createHeadVerifier(context.auditKey());
    const db = await context.db();
    const exported: Exported[] = [];
    for (const realm of await context.realms())
      exported.push(await exportAudit(db, { realm, directory: out, verifier }));
    for (const { realmId, to } of exported) {
      await auditExports.note(db, { realmId, position: to, at: context.clock.now() });
    }
    return {
      json: { realms: exported.map(({ realmId, ...file }) => ({ realm: Number(realmId), ...file })) },
      text: exported
        .map(({ realmId, file, to }) => `realm ${realmId}: ${file ?? `nothing new since position ${to}`}`)
        .join("\n"),
    };
  },
});
