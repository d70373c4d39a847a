import { z } from "zod";
import { CommandError } from "../../terminal/failure.ts";
import type { Credentials } from "./credentials.ts";
import { fetchWithRetry, type RetryOptions } from "./fetch-with-retry.ts";
import { notSignedIn } from "./refusal.ts";
import { refusalOf } from "./refusal.ts";

const TokenAnswer = z.object({ access_token: z.string().min(1) });

/** Fetches an access token by the client credentials grant (RFC 6749 section 4.4), with all scopes of the client. */
export async function fetchAccessToken(
  { url, clientId, clientSecret }: Pick<Credentials, "url" | "clientId" | "clientSecret">,
  retry: RetryOptions,
): Promise<string> {
  const response = await fetchWithRetry(
    () =>
      fetch(`${url}/oauth/token`, {
        method: "POST",
        headers: { Authorization: basic(clientId, clientSecret), Accept: "application/json" },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
        redirect: "error",
        signal: AbortSignal.any([retry.interrupted, AbortSignal.timeout(tokenTimeoutMs)]),
      }),
    retry,
  );
  if (!response.ok) {
    const refusal = await refusalOf(response);
    if (response.status === 400 || response.status === 401) {
      throw notSignedIn(`The service does not accept these credentials: ${refusal.message}`, { cause: refusal });
    }
    throw refusal;
  }
  const answer = TokenAnswer.safeParse(await response.json().catch(() => undefined));
  if (!answer.success) {
    throw new CommandError("unexpected_answer", "The response has no access token. Is this the service's address?");
  }
  return answer.data.access_token;
}

const tokenTimeoutMs = 30_000;

/** Returns HTTP Basic credentials, with both parts form-encoded first (RFC 6749 section 2.3.1). */
const basic = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64")}`;

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

/** Returns the scopes in a token; undefined if the token cannot be read or does not list them. */
export function scopesOf(token: string): readonly string[] | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const parsed = z.object({ scope: z.string() }).safeParse(claims);
    return parsed.success ? parsed.data.scope.split(" ").filter((scope) => scope !== "") : undefined;
  } catch {
    return undefined;
  }
}
