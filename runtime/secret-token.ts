import { createHash, randomBytes } from "node:crypto";

/** A prefix per kind, so that a token that turns up somewhere can be told for what it is. */
const prefixes = {
  signInLink: "rpl",
  clientSecret: "rps",
  guestToken: "rpg",
  authorizationCode: "rpc",
  refreshToken: "rpr",
  login: "rpb",
  consoleSession: "rpw",
} as const;

export interface SecretToken {
  /** `<prefix>_<43 base64url characters>`: shown once, kept nowhere. */
  token: string;
  /** SHA-256 of the whole token: what is stored. */
  hash: Buffer;
}

/** Draws a token of 256 random bits. */
export function drawSecretToken(kind: keyof typeof prefixes): SecretToken {
  const token = `${prefixes[kind]}_${randomBytes(32).toString("base64url")}`;
  return { token, hash: hashOfToken(token) };
}

/** A token is remembered, compared and limited by its SHA-256 alone. */
export const hashOfToken = (token: string): Buffer => createHash("sha256").update(token).digest();
