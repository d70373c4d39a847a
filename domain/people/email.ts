import { z } from "zod";

const charactersMax = 254;

/** A dot-atom (RFC 5322, with letters of any script as in RFC 6531), an @, and a domain with a dot. */
const address =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/** Whether a text is one e-mail address: without a name, without quotation marks, at most 254 characters. */
export const isEmailAddress = (value: string): boolean => value.length <= charactersMax && address.test(value);

/** A person's e-mail address, as written. */
export const EmailAddress = z.string().refine(isEmailAddress, "is no address");
