import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AuditHead } from "../../domain/audit/chain.ts";
import type { HeadVerifier } from "../../runtime/keys/audit-key.ts";
import { CommandError } from "../../terminal/failure.ts";

/** What was kept elsewhere of the audit log: the files that `audit head --json` makes, or what is in them alone. */

const WithKey = z.object({ publicKey: z.looseObject({}) }).transform(({ publicKey }) => publicKey);
const WithHead = z.object({ head: z.string() }).transform(({ head }) => head);

/** The public key, or keys, in a file: a JWK, a JWK Set, or an answer of `audit head`. As JSON. */
export function readPublicKey(file: string): string {
  const content = read(file);
  const parsed = WithKey.safeParse(jsonOf(content));
  return parsed.success ? JSON.stringify(parsed.data) : content;
}

/** The head in a file: a JWS, or an answer of `audit head`. Throws when it was not signed with a trusted key. */
export async function readHead(file: string, verifier: HeadVerifier): Promise<AuditHead> {
  const content = read(file);
  const parsed = WithHead.safeParse(jsonOf(content));
  const head = await verifier.verify(parsed.success ? parsed.data : content.trim());
  if (head === undefined) {
    throw new CommandError("head_unusable", `The head in ${file} was not signed with the public key that is trusted.`);
  }
  return head;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new CommandError("file_unreadable", `Cannot read ${file} (${code}).`);
  }
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
