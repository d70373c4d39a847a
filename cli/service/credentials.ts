import type { PromptIo } from "../../terminal/prompt.ts";
import { serviceAddress } from "./address.ts";
import { notSignedIn } from "./refusal.ts";
import { readSecretFile } from "./secret-file.ts";
import { readStoredLogin, storedLoginPath } from "./stored-login.ts";

/** The service, and the client's credentials. */
export interface Credentials {
  url: string;
  clientId: string;
  clientSecret: string;
  /** The source of the secret, for `doctor`. */
  source: string;
}

/** The command-line options for credentials: never the secret itself. */
export interface CredentialOptions {
  url?: string | undefined;
  clientId?: string | undefined;
  clientSecretFile?: string | undefined;
  insecureHttp: boolean;
}

/**
 * Finds the credentials: options take precedence over the environment, and the environment over the stored login. A
 * stored secret is only used with the service and the client id that it was stored for.
 */
export async function findCredentials(
  io: PromptIo & { env: Readonly<Record<string, string | undefined>> },
  given: CredentialOptions,
): Promise<Credentials> {
  const { env } = io;
  const stored = await readStoredLogin(storedLoginPath(env));
  const url = given.url ?? notEmpty(env["REALMPASS_URL"]) ?? stored?.url;
  const clientId = given.clientId ?? notEmpty(env["REALMPASS_CLIENT_ID"]) ?? stored?.clientId;
  if (url === undefined || clientId === undefined) {
    throw notSignedIn(
      "Not signed in. Run realmpass login, or set REALMPASS_URL, REALMPASS_CLIENT_ID and REALMPASS_CLIENT_SECRET.",
    );
  }

  const address = serviceAddress(url, given);
  if (given.clientSecretFile !== undefined) {
    const clientSecret = await readSecretFile(given.clientSecretFile, io);
    return { url: address, clientId, clientSecret, source: "--client-secret-file" };
  }
  const secret = notEmpty(env["REALMPASS_CLIENT_SECRET"]);
  if (secret !== undefined) return { url: address, clientId, clientSecret: secret, source: "REALMPASS_CLIENT_SECRET" };
  if (stored === undefined) {
    throw notSignedIn("There is no client secret. Run realmpass login, or set REALMPASS_CLIENT_SECRET.");
  }
  if (stored.url !== address || stored.clientId !== clientId) {
    throw notSignedIn(
      `The stored login is for ${stored.clientId} at ${stored.url}, and for nothing else. Run realmpass login.`,
    );
  }
  return { url: address, clientId, clientSecret: stored.clientSecret, source: "realmpass login" };
}

const notEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
