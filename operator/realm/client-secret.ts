import { upstreamSecretBytesMax as secretBytesMax } from "../../domain/limits.ts";
import { usageError } from "../../terminal/failure.ts";

/** Returns a client secret from standard input, without the line end that `echo` adds. */
export function readClientSecret(input: string): string {
  const secret = input.replace(/\r?\n$/, "");
  if (secret === "" || Buffer.byteLength(secret) > secretBytesMax || /\p{Cc}/u.test(secret)) {
    throw usageError(`The client secret on standard input must be one line of 1 to ${secretBytesMax} bytes.`);
  }
  return secret;
}
