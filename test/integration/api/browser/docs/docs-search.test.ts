import { describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { guides } from "../../../../../api/browser/docs/guides.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const get = async (path: string) => (await api.as.nobody().get(path)).text;
const search = (q: string, more: Record<string, string> = {}) =>
  get(`/docs/search?${new URLSearchParams({ q, ...more }).toString()}`);

/** Returns the addresses of a page's results, in order. */
const resultsOf = (page: string): string[] =>
  [...page.matchAll(/<li class="result"><a href="([^"]*)"/g)].map(([, address = ""]) =>
    address.replaceAll("&amp;", "&"),
  );

describe("the search of the documentation", () => {
  test("finds the section that contains every word, in any order and case, and links to its heading", async () => {
    const found = resultsOf(await search("COMMANDS quickstart token"));
    expect(found).not.toEqual([]);
    expect(found.length).toBeLessThan(resultsOf(await search("token")).length);
    const ordered = resultsOf(await search("freeradius vlan"));
    expect(ordered).not.toEqual([]);
    expect(ordered).toEqual(resultsOf(await search("VLAN FreeRADIUS")));
    const inGuides = resultsOf(await search("certificate")).filter((each) => !each.includes("/reference"));
    expect(inGuides).not.toEqual([]);
    for (const address of inGuides) {
      const [path = "", anchor = ""] = address.split("#");
      expect(await get(path), address).toContain(`id="${anchor}"`);
    }
  });

  test("shows parts of the reference without Markdown marks", async () => {
    const page = await search("the last line of NDJSON");
    expect(resultsOf(page)).toContainEqual(expect.stringMatching(/^\/docs\/reference/));
    expect(page).not.toContain("`");
  });

  test("lists the upgrade guide first for the word upgrade", async () => {
    const page = await search("upgrade");
    expect(resultsOf(page)[0]).toMatch(/^\/docs\/upgrade#/);
  });

  test("finds error codes and operations of the API", async () => {
    expect(resultsOf(await search("profile_limit_reached"))).toContain("/docs/errors#profile_limit_reached");
    expect(resultsOf(await search("listUsers"))).toContain("/docs/reference#/user/listUsers");
    expect(resultsOf(await search("/api/user/{userID}/status"))).toContain("/docs/reference#/user/setUserLock");
  });

  test("reports that nothing was found, and shows the search words as plain text", async () => {
    const page = await search(`"><script>alert(1)</script>`);
    expect(resultsOf(page)).toEqual([]);
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("Nothing contains");
  });

  test.each([
    ["no words", " "],
    ["NUL", "\0"],
    ["a long text", "a ".repeat(2_000)],
    ["a bad escape", "%"],
  ])("%s causes no error", async (_, q) => {
    expect((await api.as.nobody().get(`/docs/search?q=${q === "%" ? "%zz" : encodeURIComponent(q)}`)).status).toBe(200);
  });

  test("is on every page, and keeps the realm and application that the reader chose", async () => {
    const client = "5f0c2f6e-8a3b-4d0e-9b52-0c5d1f7f7a10";
    for (const { slug } of guides) {
      expect(await get(`/docs/${slug}`)).toMatch(/<form [^>]*action="\/docs\/search"/);
    }
    expect(await get(`/docs/quickstart?client=${client}`)).toContain(
      `<input type="hidden" name="client" value="${client}"`,
    );
    const realm = (await realms.findById(api.database.owner, api.realmId))?.name ?? "";
    const [first = ""] = resultsOf(await search("token", { realm, client }));
    expect(first).toContain(`?realm=${realm}&client=${client}#`);
  });
});
