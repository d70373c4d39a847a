import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { sendRequest, type ApiAnswer, type TestApi } from "../service/api.ts";
import { createBrowserSession, type BrowserSession, type Visit } from "../browser/browser-session.ts";
import type { GivenApplication, GivenUser } from "./given.ts";

export const redirectUri = "https://client.example/back";

/** Draws a verifier and its challenge (RFC 7636). */
export function drawPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Returns the parameters of a redirect to the application. */
export const answerOf = (visit: { headers: { location?: string | undefined } }): Record<string, string> =>
  Object.fromEntries(new URL(visit.headers.location ?? "about:blank").searchParams);

/** A state for requests that the test expects to be refused; the refusal must return the state unchanged. */
export const markedState = "a b+c&d=é";

/** Expects that an authorization request with {@link markedState} was refused, with a redirect to the application. */
export function expectSentToApplication(visit: Visit, { error, iss }: { error: string; iss: string }): void {
  expect({ status: visit.status, at: visit.headers.location?.split("?")[0] }).toEqual({ status: 303, at: redirectUri });
  expect(answerOf(visit)).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    state: markedState,
    iss,
  });
}

/** Expects that an authorization request was answered with a page, without a redirect. */
export function expectShownOnPage(visit: Visit): void {
  expect({ status: visit.status, location: visit.headers.location }).toEqual({ status: 400, location: undefined });
  expect(visit.headers["content-type"]).toMatch(/^text\/html/);
  expect(visit.text).not.toContain("evil.example");
}

/** Expects an error of RFC 6749, section 5.2, from the token endpoint, which caches must not store. */
export function expectOAuthError(answer: ApiAnswer, { status, error }: { status: number; error: string }): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
  });
  expect(answer.headers["cache-control"]).toBe("no-store");
}

/** Posts a form to an endpoint that clients call. */
export const postForm = (
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> =>
  sendRequest(url, "POST", {
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

/** Makes authorization requests, and the steps after them, on one API. */
export function authorizationOn(api: Pick<TestApi, "url" | "given">) {
  const address = (path: string, parameters: Record<string, string | undefined>): string => {
    const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `${api.url}${path}?${new URLSearchParams(given).toString()}`;
  };

  const flows = {
    /** Returns the URL of an authorization request. */
    authorizeUrl: (
      application: Pick<GivenApplication, "clientId">,
      parameters: Record<string, string | undefined> = {},
    ) =>
      address("/oauth/authorize", {
        response_type: "code",
        client_id: application.clientId,
        redirect_uri: redirectUri,
        ...parameters,
      }),

    logoutUrl: (parameters: Record<string, string>) => address("/oauth/logout", parameters),

    /** Makes a browser, with or without a signed-in user. */
    browser: async (user?: GivenUser, options?: { at?: Date }): Promise<BrowserSession> => {
      const browser = createBrowserSession(() => [api.url]);
      if (user !== undefined) {
        browser.cookies.set(`${new URL(api.url).host} realmpass-login`, await api.given.login(user, options));
      }
      return browser;
    },

    /** Opens the request and consents if the page asks. */
    allow: async (browser: BrowserSession, url: string): Promise<Visit> => {
      const visit = await browser.get(url);
      return visit.status === 200 ? browser.submit(visit, { decision: "allow" }) : visit;
    },

    token: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      postForm(`${api.url}/oauth/token`, fields, headers),

    /** Returns the tokens of a whole sign-in: authorization request, consent, code, exchange. */
    signIn: async (
      user: GivenUser,
      application: GivenApplication,
      parameters: Record<string, string> = {},
    ): Promise<ApiAnswer & { browser: BrowserSession }> => {
      const browser = await flows.browser(user);
      const { code = "" } = answerOf(await flows.allow(browser, flows.authorizeUrl(application, parameters)));
      return { ...(await flows.redeem(application, code)), browser };
    },

    /** Returns the code of an authorization request that the user allows. */
    codeFor: async (
      user: GivenUser,
      application: GivenApplication,
      parameters: Record<string, string> = {},
    ): Promise<string> => {
      const browser = await flows.browser(user);
      return answerOf(await flows.allow(browser, flows.authorizeUrl(application, parameters)))["code"] ?? "";
    },

    redeem: (application: GivenApplication, code: string, fields: Record<string, string> = {}) =>
      postForm(`${api.url}/oauth/token`, {
        grant_type: "authorization_code",
        client_id: application.clientId,
        redirect_uri: redirectUri,
        code,
        ...fields,
      }),

    refresh: (application: GivenApplication, refreshToken: string, fields: Record<string, string> = {}) =>
      flows.token({
        grant_type: "refresh_token",
        client_id: application.clientId,
        refresh_token: refreshToken,
        ...fields,
      }),
  };
  return flows;
}
