import { setTimeout as delay } from "node:timers/promises";
import { sql } from "../../../../../db/sql.ts";
import {
  createBrowserSession,
  formsOf,
  type BrowserSession,
  type Form,
  type Visit,
} from "../../../../support/browser/browser-session.ts";
import type { TestApi } from "../../../../support/service/api.ts";
import type { GivenUser } from "../../../../support/given/given.ts";

export interface Visitor {
  browser: BrowserSession;
  get(path: string, options?: { follow?: boolean }): Promise<Visit>;
  /** Posts the form of a page, filled in with these fields. */
  send(page: Visit, fields: Record<string, string>): Promise<Visit>;
  /** Fills in and sends the form for a new device. */
  add(fields?: Record<string, string>, options?: { home?: string }): Promise<Visit>;
  /**
   * Taps Download, waits as a browser would while the profile is prepared, and returns the file, or the reason why
   * there is none.
   */
  download(page: Visit, options?: { waits?: boolean }): Promise<Visit>;
}

/** Makes a visitor's browser, signed in if a user is given. */
export async function visitorOf(api: TestApi, user?: GivenUser): Promise<Visitor> {
  const browser = createBrowserSession(() => [api.url]);
  if (user !== undefined) browser.cookies.set(`${new URL(api.url).host} realmpass-login`, await api.given.login(user));
  const visitor: Visitor = {
    browser,
    get: (path, options) => browser.get(path.startsWith("http") ? path : `${api.url}${path}`, options),
    send(page, fields) {
      const form = formOf(page);
      return browser.post(form.action, { ...form.fields, ...fields });
    },
    async add(fields = {}, { home = "/me" } = {}) {
      const page = await visitor.get(`${home}/devices/new`);
      // Tests that inspect the file use PEM; a test that names a device type gets that type's default format.
      const format = "device_type" in fields || fields["place"] === "elsewhere" ? "" : "pem";
      return visitor.send(page, { device_type: "Linux", name: "laptop", format, place: "here", ...fields });
    },
    async download(page, { waits = true } = {}) {
      let answer = await visitor.send(page, {});
      if (!waits) return answer;
      while (answer.headers["refresh"] === "2") {
        await delay(500);
        answer = await browser.get(answer.url);
      }
      return headingOf(answer).endsWith(" ready") ? browser.get(fileOn(answer)) : answer;
    },
  };
  return visitor;
}

/** Returns the form on the page that is not the sign-out form, without its device types. */
export function formOf(page: Visit): Form {
  const form = formsOf(page).find(({ action }) => !action.endsWith("/login/end"));
  if (form === undefined) throw new Error(`there is no form on ${page.url}: ${page.text.slice(0, 500)}`);
  const { device_type: _, ...fields } = form.fields;
  return { ...form, fields };
}

export const headingOf = ({ text }: Visit): string => /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? "";

/** Returns the address of the file on a page whose profile has been issued. */
export const fileOn = ({ text, url }: Visit): string => {
  const path = /class="button large" href="([^"]+)"/.exec(text)?.[1];
  if (path === undefined) throw new Error(`there is no file on ${url}: ${text.slice(0, 500)}`);
  return new URL(path, url).href;
};

export const serialsOf = async (api: TestApi, user: GivenUser): Promise<string[]> => {
  const rows = await api.database.owner.query<{ serial: string }>(sql`
    select serial_number as serial from certificates where user_id = ${user.id} and revoked_at is null order by id
  `);
  return rows.map(({ serial }) => serial);
};
