import { createReadStream } from "node:fs";
import { z } from "zod";
import { createChainCheck, type ChainCheck } from "../../domain/audit-chain-check.ts";
import type { AuditHead } from "../../domain/audit-chain.ts";
import { sha256, type HeadVerifier } from "../../runtime/audit-key.ts";
import type { ChainReport } from "./audit-chain-in-database.ts";
import { CommandError } from "../../terminal/failure.ts";

const Entry = z.object({
  id: z.string(),
  date: z.string(),
  event: z.string(),
  properties: z.string(),
  realm: z.int().transform(String),
  user: z.int().transform(String).nullable(),
  client: z.string().nullable(),
  position: z.int().positive().nullable(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
const LastLine = z.strictObject({ head: z.string().nullable() });

/** Checks the chain of the one realm in an export without a filter, line by line. */
export async function checkExport(
  file: string,
  { verifier, kept }: { verifier: HeadVerifier; kept: AuditHead | undefined },
): Promise<ChainReport> {
  let check: ChainCheck | undefined;
  let realm = kept?.realm ?? "";
  let unsealed = 0;
  let lineNumber = 0;
  let last: z.infer<typeof LastLine> | undefined;

  for await (const line of linesOf(file)) {
    lineNumber++;
    const json = parse(line);
    if (last !== undefined) throw notAnExport(file, `line ${lineNumber} comes after the head`);
    const lastLine = LastLine.safeParse(json);
    if (lastLine.success) {
      last = lastLine.data;
      continue;
    }
    const parsed = Entry.safeParse(json);
    if (!parsed.success) throw notAnExport(file, `line ${lineNumber} is not an entry`);
    const { position, hash, realm: entryRealm, ...entry } = parsed.data;
    if (realm === "") realm = entryRealm;
    check ??= createChainCheck({ sha256, realm, kept, everyHead: false });
    if (position === null || hash === null) unsealed++;
    else check.link({ realm: entryRealm, position, id: entry.id, entry, hash });
  }

  check ??= createChainCheck({ sha256, realm, kept, everyHead: false });
  if (last === undefined) {
    const message = "The export does not end with a head: it has a filter, or its end is missing.";
    check.fault({ kind: "chain_truncated", position: null, id: null, message });
  } else if (last.head !== null) {
    const head = await verifier.verify(last.head);
    check.head(head, head?.position ?? null);
  }
  return { realm, unsealed, ...check.finish() };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(file, "utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandError("file_unreadable", `Cannot read ${file} (${code}).`);
  }
  if (rest !== "") yield rest;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const notAnExport = (file: string, why: string): CommandError =>
  new CommandError("not_an_export", `${file} is not an export of the audit log as NDJSON: ${why}.`);
