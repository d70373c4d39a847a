import { readFile } from "node:fs/promises";
import { usageError } from "../../terminal/failure.ts";
import { readSecret, type PromptIo } from "../../terminal/prompt.ts";

const secretMax = 4_096;

/**
 * Reads the client secret from a file or, for `-`, from standard input, without its line end. If standard input is a
 * terminal, prompts for the secret without showing it.
 */
export async function readSecretFile(path: string, io: PromptIo): Promise<string> {
  return asSecret(path === "-" ? await readSecret(io, "Client secret (not shown): ") : await readFile(path, "utf8"));
}

/** Returns the secret without its line end; throws, without showing the secret, if it is not valid. */
export function asSecret(given: string): string {
  const secret = given.replace(/\r?\n$/, "");
  if (secret === "") throw usageError("The client secret is empty.");
  if (secret.length > secretMax || /[^\x20-\x7e]/.test(secret)) {
    throw usageError("This is not a client secret: it has more than one line, or characters that no secret has.");
  }
  return secret;
}
