import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import * as applications from "../../db/queries/oauth/applications.ts";
import type { Application } from "../../db/queries/oauth/applications.ts";
import type { Deps } from "../contract/deps.ts";
import { required, type Form } from "../http/form.ts";
import { basicChallenge, OAuthError } from "./oauth-error.ts";

/**
 * An authenticated client. `secretHash` is the hash of the secret that the client used; null if the client needs no
 * secret.
 */
export interface AuthenticatedClient {
  application: Application;
  secretHash: Buffer | null;
}

interface Credentials {
  clientId: string;
  secret: string | undefined;
  basic: boolean;
}

/**
 * Authenticates the client of a token request by client_secret_basic or client_secret_post (RFC 6749 section 2.3.1). An
 * unknown or disabled client and a wrong or missing secret get the same response after the same work. Only failures are
 * counted.
 */
export async function authenticateClient(
  { db, clock, attemptCounter }: Pick<Deps, "db" | "clock" | "attemptCounter">,
  { form, request }: { form: Form; request: Pick<Request, "headers" | "ip"> },
): Promise<AuthenticatedClient> {
  const { clientId, secret, basic } = readCredentials(form, request.headers.authorization);
  const found = await applications.findWithSecrets(db, { clientId, at: clock.now() });
  const secretHash = createHash("sha256")
    .update(secret ?? "")
    .digest();
  const matches = isAmong(secretHash, found?.secretHashes ?? []);

  // The secret matters only if the client was registered with one.
  if (found?.active !== true || (found.useClientSecret && !matches)) {
    await attemptCounter.clientFailed({ clientId, address: request.ip ?? "" });
    throw new OAuthError("invalid_client", challengeIf(basic));
  }
  const { secretHashes: _, ...application } = found;
  return { application, secretHash: application.useClientSecret ? secretHash : null };
}

/** Returns the Basic challenge if the client used that scheme (RFC 6749 section 5.2). */
const challengeIf = (basic: boolean) => (basic ? { challenge: basicChallenge } : {});

/**
 * Returns whether the hash is among the known ones. Compares with at least two hashes, even if fewer are known, each in
 * constant time.
 */
function isAmong(hash: Buffer, known: readonly Buffer[]): boolean {
  const compared = [...known, ...Array<Buffer>(Math.max(0, 2 - known.length)).fill(dummyHash)];
  return compared.filter((candidate) => timingSafeEqual(candidate, hash)).some((candidate) => candidate !== dummyHash);
}

const dummyHash = Buffer.alloc(32);

function readCredentials(form: Form, authorization: string | undefined): Credentials {
  const [, encoded] = /^basic +(.*)$/is.exec(authorization ?? "") ?? [];
  if (encoded === undefined)
    return { clientId: required(form, "client_id"), secret: form.get("client_secret"), basic: false };

  const { clientId, secret } = readBasic(encoded);
  if (form.has("client_secret")) {
    throw new OAuthError("invalid_request", { description: "The client authenticates in two ways at once." });
  }
  if ((form.get("client_id") ?? clientId) !== clientId) {
    throw new OAuthError("invalid_request", { description: "The client_id is not that of the Authorization header." });
  }
  return { clientId, secret, basic: true };
}

/** Parses user and password of the Basic scheme, both form-encoded. */
function readBasic(encoded: string): { clientId: string; secret: string } {
  const text = Buffer.from(encoded.trim(), "base64").toString("utf8");
  const at = text.indexOf(":");
  const [clientId, secret] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)].map(formDecoded);
  if (at < 0 || !clientId || secret === undefined) throw new OAuthError("invalid_client", challengeIf(true));
  return { clientId, secret };
}

function formDecoded(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replace(/\+/g, " "));
    return decoded.includes("\0") || decoded.length > 4096 ? undefined : decoded;
  } catch {
    return undefined;
  }
}
