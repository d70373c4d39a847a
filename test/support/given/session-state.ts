import { expect } from "vitest";
import { sendRequest } from "../service/api.ts";
import { postForm, redirectUri } from "./authorization.ts";
import type { GivenSession } from "./given.ts";

type Fields = Record<string, string>;

/**
 * Returns an API's response to each of a session's tokens. `fields`: what the client sends in addition to its id, such
 * as a secret.
 */
export async function stateOf(
  { url }: { url: string },
  { clientId, accessToken, refreshToken }: Omit<GivenSession, "id" | "code">,
  fields: Fields = {},
): Promise<{ accessToken: string; refreshToken: string }> {
  const [call, refresh] = await Promise.all([
    sendRequest(`${url}/api/sessions`, "GET", { headers: { authorization: `Bearer ${accessToken}` } }),
    postForm(`${url}/oauth/token`, {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refreshToken,
      ...fields,
    }),
  ]);
  return {
    accessToken: call.status === 200 ? "taken" : call.body.error,
    refreshToken: refresh.status === 200 ? "taken" : refresh.body.error,
  };
}

/** Redeems the code of a session. */
export const redeem = ({ url }: { url: string }, { clientId, code }: GivenSession, fields: Fields = {}) =>
  postForm(`${url}/oauth/token`, {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    ...fields,
  });

/** Expects every API to still accept the session. */
export async function expectGoingOn(apis: readonly { url: string }[], session: GivenSession): Promise<void> {
  for (const api of apis) {
    expect(await stateOf(api, session)).toEqual({ accessToken: "taken", refreshToken: "taken" });
  }
}

/** Expects every API to refuse all of the session's tokens and its code. `error`: the error of the token endpoint. */
export async function expectEnded(
  apis: readonly { url: string }[],
  session: GivenSession,
  { error = "invalid_grant", fields = {} }: { error?: string; fields?: Fields } = {},
): Promise<void> {
  for (const api of apis) {
    expect(await stateOf(api, session, fields)).toEqual({ accessToken: "unauthenticated", refreshToken: error });
    expect((await redeem(api, session, fields)).body).toMatchObject({ error });
  }
}
