import { passwordBytesMax, passwordLengthMin } from "../limits.ts";
import { lengthOf } from "../text.ts";

/** Returns why a text cannot be set as a password: too short, longer than is ever checked, or not one line. */
export function passwordFault(password: string): "short" | "long" | undefined {
  if (lengthOf(password) < passwordLengthMin) return "short";
  if (new TextEncoder().encode(password).length > passwordBytesMax || /[\0\r\n]/.test(password)) return "long";
  return undefined;
}
