import { createHash, randomBytes } from "node:crypto";

/** Each kind of token has its own prefix, which identifies a leaked token. */
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
  /**
   * `<prefix>_<43 base64url characters>`: the service never stores it unsealed, and seals only the few that it needs
   * again, such as guest tokens.
   */
  token: string;
  /** SHA-256 of the whole token. The service stores this hash. */
  hash: Buffer;
}

/** Draws a token of 256 random bits. */
export function drawSecretToken(kind: keyof typeof prefixes): SecretToken {
  const token = `${prefixes[kind]}_${randomBytes(32).toString("base64url")}`;
  return { token, hash: hashOfToken(token) };
}

/** Returns whether a text is an application's static token, by its prefix. */
export const isStaticToken = (token: string): boolean => token.startsWith(`${prefixes.staticToken}_`);

/** Returns a token's SHA-256. The service stores, compares and rate-limits tokens by this hash. */
export const hashOfToken = (token: string): Buffer => createHash("sha256").update(token).digest();
