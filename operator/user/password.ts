import { hash } from "@node-rs/argon2";
import { passwordBytesMax, passwordLengthMin } from "../../domain/limits.ts";
import { passwordCost } from "../../domain/password-cost.ts";
import { passwordFault } from "../../domain/people/password.ts";
import { usageError } from "../../terminal/failure.ts";

/** The cost of hashing with argon2id, the library's default algorithm. */
export type PasswordCost = typeof passwordCost;

/** Hashes a password from standard input, without the line end that `echo` adds, with argon2id in PHC format. */
export async function hashPassword(
  input: string,
  { cost = passwordCost }: { cost?: PasswordCost | undefined } = {},
): Promise<string> {
  const password = input.replace(/\r?\n$/, "");
  const fault = passwordFault(password);
  if (fault === "short") {
    throw usageError(`The password on standard input must have at least ${passwordLengthMin} characters.`);
  }
  if (fault === "long") {
    throw usageError(`The password on standard input must be one line of at most ${passwordBytesMax} bytes.`);
  }
  return hash(password, cost);
}
