import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AuditHead } from "../../domain/audit/chain.ts";
import type { HeadVerifier } from "../../runtime/keys/audit-key.ts";
import { CommandError } from "../../terminal/failure.ts";

/**
 * Reads parts of the audit log that were kept elsewhere: files with the output of `audit head --json`, or with only the
 * key or the head from it.
 */

const WithKey = z.object({ publicKey: z.looseObject({}) }).transform(({ publicKey }) => publicKey);
const WithHead = z.object({ head: z.string() }).transform(({ head }) => head);

/**
 * Reads the public key, or keys, from a file: a JWK, a JWK Set, or the output of `audit head`. Returns JSON, unchecked.
 */
export function readPublicKey(file: string): string {
  const content = read(file);
  const parsed = WithKey.safeParse(jsonOf(content));
  return parsed.success ? JSON.stringify(parsed.data) : content;
}

/**
 * Reads the head from a file: a JWS, or the output of `audit head`. Throws `file_unreadable`, or `head_unusable` if no
 * trusted key signed the head.
 */
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
