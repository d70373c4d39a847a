import { z } from "zod";
import * as auditExports from "../../../db/queries/audit/audit-exports.ts";
import { createHeadVerifier } from "../../../runtime/keys/audit-key.ts";
import { eachByItself } from "../../../runtime/each-by-itself.ts";
import { option } from "../../../terminal/command.ts";
import { exportAudit, type Exported } from "../../audit/audit-export-files.ts";
import { command } from "../command.ts";

export const auditExport = command({
  name: "audit export",
  about:
    "Writes the audit entries since the last export into a file for each realm. Kept on another machine, the files contain the revocations that a restore loses.",
  options: {
    out: option("dir", "the directory of the files; continues after the newest", z.string().min(1)),
  },
  async run({ out }, context) {
    const verifier = await createHeadVerifier(context.auditKey());
    const db = await context.db();
    const exported: Exported[] = [];
    await eachByItself(await context.realms(), async (realm) => {
      const file = await exportAudit(db, { realm, directory: out, verifier, at: context.clock.now() });
      exported.push(file);
      await auditExports.note(db, { realmId: file.realmId, position: file.to, at: context.clock.now() });
    });
    return {
      json: { realms: exported.map(({ realmId, ...file }) => ({ realm: Number(realmId), ...file })) },
      text: exported
        .map(({ realmId, file, to }) => `realm ${realmId}: ${file ?? `nothing new since position ${to}`}`)
        .join("\n"),
    };
  },
});
