import { existsSync } from "node:fs";
import type { Cookie } from "playwright-core";
import { beforeAll } from "vitest";
import { useApi, type TestApi } from "./api.ts";
import { useBrowser, type BrowserProgram, type View, type WatchedPage } from "../browser/browser.ts";
import { givenIssuingRealm, type IssuingRealm } from "../given/issuing.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../given/local-account.ts";
import type { TestWorker } from "./worker.ts";

export interface TestConsole {
  readonly api: TestApi;
  /** The realm of all tests here; its issuer can sign. */
  readonly realm: IssuingRealm;
  readonly administrator: LocalAccount;
  readonly worker: TestWorker;
  /**
   * Opens an address of the console, with the administrator (or another user) signed in. The first call signs in in a
   * browser; later calls use the cookies of that session while it lasts.
   */
  open(path: string, view?: Partial<View>, account?: { username: string }): Promise<WatchedPage>;
}

/**
 * Runs the built console on a real service with a real worker, for the tests of a file. Wrap the tests in
 * `describeWithTool(program, …)`, and build first: `node build.mjs`.
 */
export function useConsole(options: Parameters<typeof useApi>[0] = {}, program?: BrowserProgram): TestConsole {
  const api = useApi(options);
  const browser = useBrowser(program);
  let realm: IssuingRealm | undefined;
  let administrator: LocalAccount | undefined;
  let worker: TestWorker | undefined;
  const sessions = new Map<string, Cookie[]>();

  beforeAll(async () => {
    if (!existsSync("dist/console/index.html")) throw new Error("there is no console in dist/: run `node build.mjs`");
    realm = await givenIssuingRealm(api.database.owner);
    const { realmId } = realm;
    administrator = await givenLocalAccount(api, { username: "grace.hopper", realmId, administrator: true });
    worker = await api.startWorker();
  });

  const there = <Thing>(thing: Thing | undefined): Thing => {
    if (thing === undefined) throw new Error("the console has not started");
    return thing;
  };

  return {
    api,
    get realm() {
      return there(realm);
    },
    get administrator() {
      return there(administrator);
    },
    get worker() {
      return there(worker);
    },
    async open(path, view = {}, { username } = there(administrator)) {
      const watched = await browser.open({ theme: "light", width: 1440, language: "en", ...view });
      const { page, context } = watched;
      const show = async (): Promise<void> => {
        await page.goto(`${api.url}${path}`);
        await page.waitForSelector("h1");
      };
      const cookies = sessions.get(username);
      if (cookies !== undefined) {
        await context.addCookies(cookies);
        await show();
        if (!isSignIn(new URL(page.url()))) return watched;
      }
      await page.goto(`${api.url}/login?realm=${await realmName(api, there(realm).realmId)}`);
      await page.fill("#username", username);
      await page.fill("#password", testPassword);
      await Promise.all([page.waitForURL((url) => !isSignIn(url)), page.press("#password", "Enter")]);
      await show();
      sessions.set(username, await context.cookies());
      return watched;
    },
  };
}

const isSignIn = ({ pathname }: URL): boolean => pathname.startsWith("/login");

async function realmName(api: TestApi, realmId: string): Promise<string> {
  const { body } = await api.as.service({ realmId }).get("/api/realm");
  return encodeURIComponent(String(body.data.realmName));
}
