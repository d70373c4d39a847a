import { beforeEach, expect, test } from "vitest";
import { createPictureFetch } from "../../../../../api/browser/logo/fetch-picture.ts";
import type { Logos, Picture } from "../../../../../api/contract/deps.ts";
import { createLogos } from "../../../../../api/browser/logo/logos.ts";
import { silentLog } from "../../../../support/service/worker.ts";
import { png, svg, usePictureServer } from "../../../../support/counterparts/picture-server.ts";

const server = usePictureServer();
const fetchPicture = createPictureFetch({ networks: "127.0.0.1", authorities: server.authorities });

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let now: number;
let logos: Logos;
let requests: () => number;
const pass = (ms: number): void => void (now += ms);
const realm = (path: string, id = "1") => ({
  id,
  logoUri: path === "" ? "" : `${server.url}${path}`,
  uploadedLogo: null,
});
/** The uploaded logos, by realm and digest. */
const uploads = new Map<string, Picture>();
/** Waits until this many background fetches are done. */
const settled = async (count: number): Promise<void> => {
  await expect.poll(requests).toBe(count);
  await new Promise((resolve) => setTimeout(resolve, 50));
};

beforeEach(() => {
  now = Date.UTC(2027, 0, 1);
  logos = createLogos({
    fetchPicture,
    readUploaded: ({ realmId, digest }) => Promise.resolve(uploads.get(`${realmId} ${digest}`)),
    clock: { now: () => new Date(now) },
    log: silentLog,
    keptMax: 3,
  });
  server.show("/logo.png", "image/png", png);
  server.show("/other.svg", "image/svg+xml", svg());
  const before = server.asked.length;
  requests = () => server.asked.length - before;
});

test("for a realm without a logo, the api fetches nothing", async () => {
  expect(logos.mayHave(realm(""))).toBe(false);
  expect(await logos.find(realm(""))).toBeUndefined();
  expect(requests()).toBe(0);
});

test("concurrent requests for a logo share one fetch, and the result is kept for an hour", async () => {
  const found = await Promise.all(Array.from({ length: 50 }, () => logos.find(realm("/logo.png"))));
  expect(new Set(found)).toEqual(new Set([{ type: "image/png", bytes: png }]));
  pass(hour - 1);
  await logos.find(realm("/logo.png"));
  expect(requests()).toBe(1);
});

test("after an hour the old logo is shown immediately while a new one is fetched", async () => {
  await logos.find(realm("/logo.png"));
  server.show("/logo.png", "image/svg+xml", svg());
  pass(hour);
  expect(await logos.find(realm("/logo.png"))).toMatchObject({ type: "image/png" });
  await settled(2);
  expect(await logos.find(realm("/logo.png"))).toMatchObject({ type: "image/svg+xml" });
});

test("while its source is down, a logo is shown for a week, and the source is retried once a minute", async () => {
  await logos.find(realm("/logo.png"));
  server.on("/logo.png", (_, outgoing) => outgoing.writeHead(503).end());
  pass(hour);
  for (let tries = 0; tries < 3; tries++) expect(await logos.find(realm("/logo.png"))).toBeDefined();
  await settled(2);
  expect(await logos.find(realm("/logo.png"))).toBeDefined();
  expect(requests()).toBe(2);
  pass(minute);
  expect(await logos.find(realm("/logo.png"))).toBeDefined();
  await settled(3);
  expect(logos.mayHave(realm("/logo.png"))).toBe(true);

  pass(7 * day - hour - minute - 1);
  expect(await logos.find(realm("/logo.png"))).toBeDefined();
  await settled(4);
  pass(1);
  expect(await logos.find(realm("/logo.png"))).toBeUndefined();
  expect(logos.mayHave(realm("/logo.png"))).toBe(false);
});

test("a failed fetch is not retried for a minute, and until then pages are rendered without a logo", async () => {
  expect(logos.mayHave(realm("/missing"))).toBe(true);
  for (let tries = 0; tries < 3; tries++) expect(await logos.find(realm("/missing"))).toBeUndefined();
  expect(requests()).toBe(1);
  expect(logos.mayHave(realm("/missing"))).toBe(false);

  server.show("/missing", "image/png", png);
  pass(minute);
  expect(logos.mayHave(realm("/missing"))).toBe(true);
  expect(await logos.find(realm("/missing"))).toBeDefined();
});

test("a new address yields a new logo immediately, and each realm has its own logo", async () => {
  expect(await logos.find(realm("/logo.png"))).toMatchObject({ type: "image/png" });
  expect(await logos.find(realm("/other.svg", "2"))).toMatchObject({ type: "image/svg+xml" });
  expect(await logos.find(realm("/logo.png"))).toMatchObject({ type: "image/png" });
  expect(await logos.find(realm("/other.svg"))).toMatchObject({ type: "image/svg+xml" });
  expect(await logos.find(realm("", "2"))).toBeUndefined();
  expect(requests()).toBe(3);
});

test("a fetch from an address that the realm no longer uses is discarded", async () => {
  let answer = (): void => undefined;
  server.on("/late.png", (_, outgoing) => {
    answer = () => void outgoing.writeHead(200, { "content-type": "image/png" }).end(png);
  });
  const late = logos.find(realm("/late.png"));
  await expect.poll(requests).toBe(1);
  expect(await logos.find(realm("/other.svg"))).toMatchObject({ type: "image/svg+xml" });
  answer();
  await late;
  expect(await logos.find(realm("/other.svg"))).toMatchObject({ type: "image/svg+xml" });
});

test("with many realms, the most recently requested logos stay in memory", async () => {
  for (const id of ["1", "2", "3", "1", "4"]) await logos.find(realm("/logo.png", id));
  expect(requests()).toBe(4);
  await logos.find(realm("/logo.png", "1"));
  expect(requests()).toBe(4);
  await logos.find(realm("/logo.png", "2"));
  expect(requests()).toBe(5);
});

test("an uploaded logo is used instead of the address, in its own realm only, until it is removed", async () => {
  uploads.set("1 abc", { type: "image/svg+xml", bytes: Buffer.from(svg()) });
  const uploaded = { ...realm("/logo.png"), uploadedLogo: "abc" };
  expect(logos.mayHave({ ...realm(""), uploadedLogo: "abc" })).toBe(true);
  expect(await logos.find(uploaded)).toMatchObject({ type: "image/svg+xml" });
  expect(requests()).toBe(0);
  expect(await logos.find({ ...uploaded, id: "2" })).toBeUndefined();
  uploads.clear();
  expect(await logos.find(uploaded)).toMatchObject({ type: "image/svg+xml" });
  expect(await logos.find(realm("/logo.png"))).toMatchObject({ type: "image/png" });
  expect(requests()).toBe(1);
});
