import { createHash, randomBytes } from "node:crypto";

/** Each kind has its own prefix, which identifies a token that turns up somewhere. */
const prefixes = {
  signInLink: "rpl",
  clientSecret: "rps",
  guestToken: "rpg",
  authorizationCode: "rpc",
  refreshToken: "rpr",
  login: "rpb",
  consoleSession: "rpw",
  staticToken: "rpk",
  appCode: "rpo",
  appToken: "rpa",
} as const;

export interface SecretToken {
  /** `<prefix>_<43 base64url characters>`: shown once, never stored. */
  token: string;
  /** SHA-256 of the whole token, which is stored. */
  hash: Buffer;
}

/** Draws a token of 256 random bits. */
export function drawSecretToken(kind: keyof typeof prefixes): SecretToken {
  const token = `${prefixes[kind]}_${randomBytes(32).toString("base64url")}`;
  return { token, hash: hashOfToken(token) };
}

/** Returns whether a text is an application's static token, by its prefix. */
export const isStaticToken = (token: string): boolean => token.startsWith(`${prefixes.staticToken}_`);

/** Returns a token's SHA-256, by which it is stored, compared and limited. */
export const hashOfToken = (token: string): Buffer => createHash("sha256").update(token).digest();
