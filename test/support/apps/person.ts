import {
  createBrowserSession,
  formsOf,
  type BrowserSession,
  type Form,
  type Visit,
} from "../browser/browser-session.ts";
import { testPassword } from "../given/local-account.ts";

/** A person at a browser who signs in with a password where asked, and allows or denies an app's request. */
export interface Person {
  browser: BrowserSession;
  /** Opens an app's address; returns the page on which the person decides. */
  open(url: string): Promise<Visit>;
  decide(page: Visit, decision: "allow" | "deny"): Promise<Visit>;
  /** Opens an app's address and allows the request; returns the address to which the browser leaves our pages. */
  browse: (url: string) => Promise<string>;
}

/** Returns the form in which the person decides; undefined if the page has no such form. */
export const decisionOn = (page: Visit): Form | undefined =>
  formsOf(page).find(({ fields }) => "authorization" in fields);

/** Returns a person at a new browser. `ca`: PEM of the certificates that the browser trusts for https. */
export function personAt(
  origin: string,
  { username, userAgent, ca }: { username: string; userAgent: string; ca?: string },
): Person {
  const browser = createBrowserSession(() => [origin], { userAgent, ...(ca !== undefined && { ca }) });
  const person: Person = {
    browser,
    async open(url) {
      const page = await browser.get(url);
      const asks = formsOf(page).some(({ fields }) => "password" in fields);
      return asks ? browser.submit(page, { username, password: testPassword }) : page;
    },
    decide(page, decision) {
      const form = decisionOn(page);
      if (form === undefined) throw new Error(`${page.url} asks nothing: ${page.status} ${page.text.slice(0, 2_000)}`);
      return browser.post(form.action, { ...form.fields, decision });
    },
    async browse(url) {
      const { status, headers, text } = await person.decide(await person.open(url), "allow");
      if (status !== 303 || headers.location === undefined) throw new Error(`${status} ${text.slice(0, 2_000)}`);
      return headers.location;
    },
  };
  return person;
}
