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
  /** Posts the form of a page, filled in with these, and waits as its browser would while a profile is being prepared. */
  send(page: Visit, fields: Record<string, string>, options?: { waits?: boolean }): Promise<Visit>;
  /** Fills in the form for a new device. */
  add(fields?: Record<string, string>, options?: { home?: string; waits?: boolean }): Promise<Visit>;
}

/** Somebody's browser; signed in, if a user is named. */
export async function visitorOf(api: TestApi, user?: GivenUser): Promise<Visitor> {
  const browser = createBrowserSession(() => [api.url]);
  if (user !== undefined) browser.cookies.set(`${new URL(api.url).host} realmpass-login`, await api.given.login(user));
  const visitor: Visitor = {
    browser,
    get: (path, options) => browser.get(path.startsWith("http") ? path : `${api.url}${path}`, options),
    async send(page, fields, { waits = true } = {}) {
      const form = formOf(page);
      let answer = await browser.post(form.action, { ...form.fields, ...fields });
      for (let times = 0; waits && answer.headers["refresh"] === "2" && times < 40; times++) {
        await delay(500);
        answer = await browser.get(answer.url);
      }
      return answer;
    },
    async add(fields = {}, { home = "/me", waits = true } = {}) {
      const page = await visitor.get(`${home}/devices/new`);
      const filledIn = { device_type: "Linux", name: "laptop", format: "", place: "here", ...fields };
      return visitor.send(page, filledIn, { waits });
    },
  };
  return visitor;
}

/** The form that is the page's own: not the one that signs out. */
export function formOf(page: Visit): Form {
  const form = formsOf(page).find(({ action }) => !action.endsWith("/login/end"));
  if (form === undefined) throw new Error(`there is no form on ${page.url}: ${page.text.slice(0, 500)}`);
  const { device_type: _, ...fields } = form.fields;
  return { ...form, fields };
}

export const headingOf = ({ text }: Visit): string => /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? "";

/** The address of the file on a page that offers one. */
export const fileOn = ({ text, url }: Visit): string => {
  const path = /href="([^"]+\/file\/[^"]+)"/.exec(text)?.[1];
  if (path === undefined) throw new Error(`there is no file on ${url}: ${text.slice(0, 500)}`);
  return new URL(path, url).href;
};

export const serialsOf = async (api: TestApi, user: GivenUser): Promise<string[]> => {
  const rows = await api.database.owner.query<{ serial: string }>(sql`
    select serial_number as serial from certificates where user_id = ${user.id} and revoked_at is null order by id
  `);
  return rows.map(({ serial }) => serial);
};
