import { hash } from "@node-rs/argon2";
import { lengthOf } from "../../domain/text.ts";
import { passwordBytesMax } from "../../domain/limits.ts";
import { usageError } from "../../terminal/failure.ts";

const passwordLengthMin = 12;
/** 19 MiB, two passes, one lane: the first choice of the OWASP password storage cheat sheet. argon2id is the default. */
const defaultCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of argon2id. */
export type PasswordCost = typeof defaultCost;

/** A password from standard input, without the line end that `echo` adds, as argon2id in PHC format. */
export async function hashPassword(
  input: string,
  { cost = defaultCost }: { cost?: PasswordCost | undefined } = {},
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
