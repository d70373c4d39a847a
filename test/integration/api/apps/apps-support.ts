import { appsPath } from "../../../../domain/onboarding-apps.ts";
import { sql } from "../../../../db/sql.ts";
import type { BrowserSession, Visit } from "../../../support/browser/browser-session.ts";
import { answerOf, authorizationOn, drawPkce, postForm } from "../../../support/given/authorization.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { sendRequest, type ApiAnswer, type SendOptions, type TestApi } from "../../../support/service/api.ts";

export const windows = { client_id: "app.geteduroam.win", redirect_uri: "http://[::1]:50000/" } as const;
export const mobile = { client_id: "app.eduroam.geteduroam", redirect_uri: "app.eduroam.geteduroam:/" } as const;

type App = typeof windows | typeof mobile;

/** Returns functions that send the requests of a realm's app and of the person at the device. */
export function appsOn(api: TestApi, realm: () => string) {
  const { browser } = authorizationOn(api);
  const { verifier, challenge } = drawPkce();
  const base = (name = realm()): string => `${api.url}${appsPath(name)}`;

  const flows = {
    base,
    browser,
    verifier,

    /** Returns the URL of an app's authorization request. */
    authorizeUrl: (parameters: Record<string, string | undefined> = {}, app: App = windows, name = realm()): string => {
      const given: Record<string, string | undefined> = {
        response_type: "code",
        scope: "eap-metadata",
        state: "s",
        code_challenge: challenge,
        code_challenge_method: "S256",
        ...app,
        ...parameters,
      };
      const pairs = Object.entries(given).flatMap(([key, value]): [string, string][] =>
        value === undefined ? [] : [[key, value]],
      );
      return `${base(name)}oauth/authorize/?${new URLSearchParams(pairs).toString()}`;
    },

    /** Opens the page and taps "Set up this device". */
    tap: async (person: BrowserSession, app: App = windows, fields: Record<string, string> = {}): Promise<Visit> => {
      const page = await person.get(flows.authorizeUrl({}, app));
      return person.submit(page, { decision: "allow", ...fields }, { follow: false });
    },

    redeem: (code: string, app: App = windows, fields: Record<string, string> = {}, name = realm()) =>
      postForm(`${base(name)}oauth/token/`, {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        ...app,
        ...fields,
      }),

    /** Taps "Set up this device" for a person, and returns the token that the app gets. */
    tokenFor: async (user: GivenUser | BrowserSession, app: App = windows): Promise<string> => {
      const person = "get" in user ? user : await browser(user);
      const { code = "" } = answerOf(await flows.tap(person, app));
      return String((await flows.redeem(code, app)).body.access_token);
    },

    /** Requests the file with a token. */
    fetch: (token: string, { query = "", ...options }: SendOptions & { query?: string } = {}, name = realm()) =>
      sendRequest(`${base(name)}api/eap-config/${query}`, "POST", {
        ...options,
        headers: { authorization: `Bearer ${token}`, ...options.headers },
      }),

    /** Counts a person's issuances and active profiles. */
    made: async ({ id }: GivenUser): Promise<{ issuances: number; active: number }> => {
      const [row] = await api.database.owner.query<{ issuances: number; active: number }>(sql`
        select (select count(*)::integer from issuances where user_id = ${id}) as issuances,
               (select count(*)::integer from certificates where user_id = ${id} and revoked_at is null) as active
      `);
      return row ?? { issuances: -1, active: -1 };
    },
  };
  return flows;
}

/** Returns a response without the parts that differ between any two responses. */
export const withoutReference = ({ status, headers, text }: Pick<ApiAnswer, "status" | "headers" | "text">) => {
  const { date: _, "x-request-id": id = "", "set-cookie": __, ...rest } = headers;
  const plain = text.replaceAll(String(id), "ID").replaceAll(/<time\b.*?<\/time>/g, "TIME");
  return {
    status,
    headers: { ...rest, "content-length": undefined, "x-rate-limit-remaining": undefined },
    text: plain,
  };
};
