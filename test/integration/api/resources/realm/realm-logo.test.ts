import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { png, svg } from "../../../../support/counterparts/picture-server.ts";
import { sendRequest, useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const digestOf = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const upload = (caller: Caller, raw: string | Buffer, type = "image/svg+xml") =>
  caller.send("PUT", "/api/realm/logo", { raw, headers: { "content-type": type } });
const get = (path: string) => sendRequest(`${api.url}${path}`, "GET", {});

const givenRealm = async () => {
  const id = await given.realm();
  await api.database.owner.query(sql`update realms set local_sign_in = true where id = ${id}`);
  const { name } = (await realms.findById(api.database.owner, id))!;
  return { id, name, admin: as.admin({ realmId: id }), page: () => get(`/login?realm=${name}`) };
};

test("an uploaded logo is public, shown on the pages, and cannot run scripts", async () => {
  const { name, admin, page } = await givenRealm();
  expect((await admin.get("/api/realm/logo")).body.data).toEqual({ uploaded: null });
  expect((await page()).text).not.toContain("<img");

  const drawing = svg("<title>Campus</title>");
  expect(await upload(admin, drawing)).toMatchObject({ status: 200, body: { data: { uploaded: digestOf(drawing) } } });
  expect((await admin.get("/api/realm/logo")).body.data).toEqual({ uploaded: digestOf(drawing) });

  const [, address = ""] = /<img class="logo" src="([^"]+)"/.exec((await page()).text) ?? [];
  expect(address).toMatch(new RegExp(`^/realms/${name}/logo\\?v=`));
  expect(await get(address)).toMatchObject({
    status: 200,
    text: drawing,
    headers: {
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=300",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
      etag: expect.any(String),
    },
  });
});

test("another upload replaces the logo and changes its address; once the logo is removed, pages show the letter", async () => {
  const { name, admin, page } = await givenRealm();
  const addressOf = async () => /src="([^"]+\/logo[^"]+)"/.exec((await page()).text)?.[1];
  await upload(admin, svg());
  const first = await addressOf();
  expect(first).toBeDefined();
  expect(await upload(admin, png, "image/png")).toMatchObject({ status: 200 });
  expect(await addressOf()).not.toBe(first);
  expect((await get(`/realms/${name}/logo`)).headers["content-type"]).toBe("image/png");

  expect((await admin.delete("/api/realm/logo")).body.data).toEqual({ uploaded: null });
  expect(await addressOf()).toBeUndefined();
  expect((await page()).text).toMatch(/<span class="mark"[^>]*>\s*R\s*<\/span>/);
  expect(await get(`/realms/${name}/logo`)).toMatchObject({ status: 404 });
});

test("each change is in the audit log with its digests, and a repeat is not", async () => {
  const { id, admin } = await givenRealm();
  for (const bytes of [svg(), svg()]) await upload(admin, bytes);
  for (let times = 0; times < 2; times++) await admin.delete("/api/realm/logo");
  const entries = await api.database.owner.query<{ properties: object }>(sql`
    select properties from audit_entries where realm_id = ${id} and event = 'realm_update' order by id
  `);
  expect(entries.map(({ properties }) => properties)).toEqual([
    { before: { uploadedLogo: null }, after: { uploadedLogo: digestOf(svg()) } },
    { before: { uploadedLogo: digestOf(svg()) }, after: { uploadedLogo: null } },
  ]);
});

test("a hostile picture is refused with a reason, and the existing logo stays", async () => {
  const { admin } = await givenRealm();
  await upload(admin, png, "image/png");
  for (const [raw, type, path] of [
    [svg("<script>alert(1)</script>"), "image/svg+xml", "script"],
    [svg("<script>alert(1)</script>"), "image/png", "script"],
    [svg(`<image href="https://evil.example/x.png"/>`), "image/svg+xml", "reference"],
    [`<!DOCTYPE svg [<!ENTITY x "y">]>${svg()}`, "image/svg+xml", "entity"],
    ["<!doctype html><script>alert(1)</script>", "image/png", "entity"],
    [Buffer.concat([png, Buffer.from("more")]), "image/png", "damaged"],
    ["GIF89a", "image/png", "no_picture"],
  ] as const) {
    const answer = await upload(admin, raw, type);
    expect(answer, path).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path, reason: expect.any(String) }]);
  }
  expect((await admin.get("/api/realm/logo")).body.data).toEqual({ uploaded: digestOf(png) });
});

test("256 KiB are accepted and one byte more is not; other types are refused", async () => {
  const { admin } = await givenRealm();
  const frame = svg("<desc></desc>");
  const filled = (length: number) => svg(`<desc>${"x".repeat(length - frame.length)}</desc>`);
  expect(await upload(admin, filled(262_144))).toMatchObject({ status: 200 });
  const answer = await upload(admin, filled(262_145));
  expect(answer).toBeError("payload_too_large");
  expect(answer.body.error_description).toBe("The file is larger than 256 KiB.");
  expect(await upload(admin, "{}", "application/json")).toBeError("unsupported_media_type");
  expect(await upload(admin, "", "image/png")).toBeError("invalid_request");
});

test("realm.modify is required to change the logo and realm.read to read it, each only in the caller's realm", async () => {
  const [own, other] = [await givenRealm(), await givenRealm()];
  await upload(other.admin, png, "image/png");
  const reader = as.admin({ realmId: own.id, scopes: ["realm.read"] });
  const help = as.user(await given.user({ realmId: own.id, roles: ["help_desk"] }));
  expect(await upload(reader, svg())).toBeError("insufficient_scope");
  expect(await reader.delete("/api/realm/logo")).toBeError("insufficient_scope");
  expect(await upload(help, svg())).toBeError("insufficient_scope");
  expect(await upload(as.user(await given.user({ realmId: own.id })), svg())).toBeError("forbidden");
  expect((await reader.get("/api/realm/logo")).body.data).toEqual({ uploaded: null });

  await upload(own.admin, svg());
  await own.admin.delete("/api/realm/logo");
  expect((await other.admin.get("/api/realm/logo")).body.data).toEqual({ uploaded: digestOf(png) });
  expect((await get(`/realms/${other.name}/logo`)).headers["content-type"]).toBe("image/png");
});
