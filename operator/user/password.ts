import { hash } from "@node-rs/argon2";
import { lengthOf } from "../../domain/text.ts";
import { passwordBytesMax, passwordLengthMin } from "../../domain/limits.ts";
import { passwordCost } from "../../domain/password-cost.ts";
import { usageError } from "../../terminal/failure.ts";

/** The cost of argon2id, the default algorithm. */
export type PasswordCost = typeof passwordCost;

/** Hashes a password from standard input, without the line end that `echo` adds, by argon2id in PHC format. */
export async function hashPassword(
  input: string,
  { cost = passwordCost }: { cost?: PasswordCost | undefined } = {},
): Promise<string> {
  const password = input.replace(/\r?\n$/, "");
  if (lengthOf(password) < passwordLengthMin) {
    throw usageError(`The password on standard input must have at least ${passwordLengthMin} characters.`);
  }
  if (Buffer.byteLength(password) > passwordBytesMax || /[\0\r\n]/.test(password)) {
    throw usageError(`The password on standard input must be one line of at most ${passwordBytesMax} bytes.`);
  }
  return hash(password, cost);
}
