import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { png, svg, usePictureServer } from "../../../../support/counterparts/picture-server.ts";

const server = usePictureServer();
const api = useApi({ settings: { logos: { networks: "127.0.0.1", authorities: server.authorities } } });

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  sendRequest(`${api.url}${path}`, method, { headers });

/** Makes a realm with a logo at a path of the server; returns its name. */
const givenRealm = async (path: string): Promise<string> => {
  const id = await api.given.realm();
  const address = `${server.url}${path}`;
  const answer = await api.as.service({ realmId: id }).put("/api/realm", { logoURI: address });
  expect(answer).toMatchObject({ status: 200 });
  const [row] = await api.database.owner.query<{ name: string }>(
    sql`update realms set local_sign_in = true where id = ${id} returning name`,
  );
  return row!.name;
};

beforeAll(() => {
  server.show("/logo.png", "image/png", png);
  server.show("/logo.svg", "image/svg+xml", svg(`<script>document.title = "no"</script>`));
});

test("a page shows the logo from the service's own origin, without waiting for it and without its source address", async () => {
  const before = server.asked.length;
  server.on("/never.png", () => undefined);
  const name = await givenRealm("/never.png");
  const page = await get(`/login?realm=${name}`);
  expect(page.text).toMatch(
    new RegExp(`<header><img class="logo" src="/realms/${name}/logo\\?v=[\\w-]{8}" alt=""/><span>${name}</span>`),
  );
  expect(page.text).not.toContain("never.png");
  expect(page.headers["content-security-policy"]).toContain("img-src 'self';");
  expect(server.asked).toHaveLength(before);
});

test("the logo is public, cacheable and revalidated by its tag", async () => {
  const name = await givenRealm("/logo.png");
  const [, address] = /<img class="logo" src="([^"]+)"/.exec((await get(`/login?realm=${name}`)).text)!;
  const logo = await fetch(`${api.url}${address}`);
  expect(Buffer.from(await logo.arrayBuffer()).equals(png)).toBe(true);
  expect(logo.status).toBe(200);
  expect(Object.fromEntries(logo.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": String(png.length),
    "cache-control": "public, max-age=300",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-rate-limit-limit": expect.any(String),
  });
  expect(logo.headers.get("set-cookie")).toBeNull();

  const tag = logo.headers.get("etag")!;
  const known = await get(`/realms/${name}/logo`, { "if-none-match": tag });
  expect(known).toMatchObject({
    status: 304,
    text: "",
    headers: { etag: tag, "cache-control": "public, max-age=300" },
  });
  expect(await get(`/realms/${name}/logo`, { "if-none-match": '"another"' })).toMatchObject({ status: 200 });
  expect(await get(`/realms/${name}/logo`, {}, "HEAD")).toMatchObject({
    status: 200,
    text: "",
    headers: { etag: tag },
  });
});

test("a script in an SVG logo cannot run", async () => {
  const logo = await get(`/realms/${await givenRealm("/logo.svg")}/logo`);
  expect(logo).toMatchObject({
    status: 200,
    headers: {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
});

test("each realm has its own logo, and after the realm's logo address changes, pages show the new logo", async () => {
  const [one, other] = [await givenRealm("/logo.png"), await givenRealm("/logo.svg")];
  expect((await get(`/realms/${one}/logo`)).headers["content-type"]).toBe("image/png");
  expect((await get(`/realms/${other}/logo`)).headers["content-type"]).toBe("image/svg+xml");

  const { id } = (await realms.findByName(api.database.owner, one))!;
  const page = (): Promise<string> => get(`/login?realm=${one}`).then(({ text }) => /\?v=([\w-]+)/.exec(text)![1]!);
  const before = await page();
  await api.as.service({ realmId: id }).put("/api/realm", { logoURI: `${server.url}/logo.svg` });
  expect(await page()).not.toBe(before);
  expect((await get(`/realms/${one}/logo`)).headers["content-type"]).toBe("image/svg+xml");
});

test("an unreachable logo returns 404, and pages show a letter instead", async () => {
  const name = await givenRealm("/missing.png");
  expect(await get(`/realms/${name}/logo`)).toMatchObject({ status: 404, headers: { "cache-control": "no-store" } });
  const page = await get(`/login?realm=${name}`);
  expect(page.text).toContain(`<header><span class="mark" aria-hidden="true">R</span><span>${name}</span>`);
  expect(page.text).not.toContain("<img");
});

test("a missing logo returns 404 whatever the cause, and a malformed path returns 400", async () => {
  const name = (await realms.findById(api.database.owner, await api.given.realm()))?.name ?? "";
  const paths = [name, "nobody", "NOBODY", "a".repeat(70), "..%2f..%2fetc", "%00", "%ff"];
  for (const path of paths) {
    expect((await get(`/realms/${path}/logo`)).status, path).toBe(path === "%ff" ? 400 : 404);
  }
  expect(await get(`/realms/${name}/logo`, {}, "POST")).toMatchObject({ status: 405 });
});
