import { passwordBytesMax, passwordLengthMin } from "../limits.ts";
import { lengthOf } from "../text.ts";

/**
 * Returns why a text cannot be set as a password: `short`, or `long` for a text that is longer than any password may be
 * or contains a line break or NUL. Returns undefined for an acceptable password.
 */
export function passwordFault(password: string): "short" | "long" | undefined {
  if (lengthOf(password) < passwordLengthMin) return "short";
  if (new TextEncoder().encode(password).length > passwordBytesMax || /[\0\r\n]/.test(password)) return "long";
  return undefined;
}
