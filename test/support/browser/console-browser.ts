import { sendRequest, type ApiAnswer, type SendOptions, type TestApi } from "../service/api.ts";
import { authorizationOn } from "../given/authorization.ts";
import type { BrowserSession, Visit } from "./browser-session.ts";
import type { GivenUser } from "../given/given.ts";

type Request = SendOptions & { body?: unknown };

/** A browser with the console open, and the requests of its page. */
export interface ConsoleBrowser {
  browser: BrowserSession;
  /** The value of the console's cookie. */
  cookie: () => string | undefined;
  /**
   * Sends a request as the console's page does: marked, and with the browser's cookies. `at`: another API than the one
   * signed in to.
   */
  send: (method: string, path: string, options?: Request & { at?: { url: string } }) => Promise<ApiAnswer>;
  /** Sends a request with only the browser's cookies, unmarked. */
  sendUnmarked: (method: string, path: string, options?: Request) => Promise<ApiAnswer>;
}

/** Signs in to the console as a browser does, following every redirect until the console's own page. */
export async function openConsole(
  api: Pick<TestApi, "url" | "given">,
  user: GivenUser,
  path = "/console",
): Promise<ConsoleBrowser & { visit: Visit }> {
  const browser = await authorizationOn(api).browser(user);
  const visit = await browser.get(`${api.url}/console/sign-in?continue=${encodeURIComponent(path)}`);
  return { ...consoleIn(api, browser), visit };
}

/** Returns functions that send requests as the console would in this browser, signed in or not. */
export function consoleIn(api: Pick<TestApi, "url">, browser: BrowserSession): ConsoleBrowser {
  const { host } = new URL(api.url);
  const cookies = (): string =>
    [...browser.cookies]
      .filter(([key]) => key.startsWith(`${host} `))
      .map(([key, value]) => `${key.slice(host.length + 1)}=${value}`)
      .join("; ");
  return {
    browser,
    cookie: () => browser.cookies.get(`${host} realmpass-console`),
    sendUnmarked: (method, path, { headers, ...options } = {}) =>
      sendRequest(`${api.url}${path}`, method, { ...options, headers: { cookie: cookies(), ...headers } }),
    send: (method, path, { at = api, headers, ...options } = {}) =>
      sendRequest(`${at.url}${path}`, method, {
        ...options,
        headers: { cookie: cookies(), "x-realmpass-console": "1", "sec-fetch-site": "same-origin", ...headers },
      }),
  };
}
