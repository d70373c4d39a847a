import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import type { AuditEvent } from "../../../../../domain/audit/audit.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

let realmId: string;
let service: Caller;
let ada: GivenUser;
let helper: GivenUser;
let serial: string;
let account: { id: string };
let application: { clientId: string };
const job = randomUUID();
const openJob = randomUUID();

const record = (
  event: AuditEvent,
  properties: Record<string, unknown>,
  {
    user = null,
    client = null,
    realm = realmId,
  }: { user?: string | null; client?: string | null; realm?: string } = {},
): Promise<void> =>
  audit.record(api.database.owner, {
    realmId: realm,
    event,
    actor: { userId: user, clientId: client },
    at: fromNow(0),
    properties,
  });

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  ada = await given.user({ realmId, pairwiseId: "al-1815", email: "ada@campus.example", displayName: "Ada Lovelace" });
  helper = await given.user({ realmId, pairwiseId: "h-1", displayName: "Hedy Lamarr" });
  serial = await given.profile(ada, { name: "Analytical engine" });
  account = await given.guestAccount({ realmId, name: "Open day" });
  application = await given.application({ realmId, name: "Night sync" });
  await record("user_lock", { userID: ada.id }, { user: helper.id });
  await record("profile_revoke", { user: ada.id, serial });
  await record("guest_account_update", { guestAccountID: account.id });
  await record("realm_update", {}, { client: application.clientId });
  await record("job_create", { job, kind: "offboarding" }, { user: helper.id });
  await record("user_offboard", { userID: ada.id, job }, { user: helper.id });
  await record("job_finish", { job, kind: "offboarding", state: "completed" }, { user: helper.id });
  await record("job_create", { job: openJob, kind: "onboarding" });
  await record("job_start", { job: openJob, kind: "onboarding" });
  const twin = await given.user({ realmId: api.realmId, displayName: "Ada Lovelace" });
  await record("user_unlock", { userID: twin.id }, { realm: api.realmId });
});

const found = async (caller: Caller, query: string): Promise<string[]> => {
  const { status, body } = await caller.get(`/api/audit?sort[date]=asc&${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.total).toBe(body.data.length);
  return body.data.map(({ event }: { event: string }) => event);
};
const search = (text: string, caller = service) => found(caller, `search=${encodeURIComponent(text)}`);

describe("the search of the audit log", () => {
  test.each([
    ["the name of a person concerned", () => "ada lovelace", ["user_lock", "profile_revoke", "user_offboard"]],
    ["part of an e-mail address", () => "campus.example", ["user_lock", "profile_revoke", "user_offboard"]],
    ["a pseudonym", () => "al-1815", ["user_lock", "profile_revoke", "user_offboard"]],
    ["the name of who acted", () => "Lamarr", ["user_lock", "job_create", "user_offboard", "job_finish"]],
    ["the name of a device", () => "analytical", ["profile_revoke"]],
    ["a serial number in hexadecimal", () => `0x${BigInt(serial).toString(16)}`, ["profile_revoke"]],
    ["the end of a serial number", () => serial.slice(-8), ["profile_revoke"]],
    ["a guest account", () => "open day", ["guest_account_update"]],
    ["an application", () => "night sync", ["realm_update"]],
    ["the id of a job", () => job.toUpperCase(), ["job_create", "user_offboard", "job_finish"]],
    ["what nothing is called", () => "Babbage", []],
  ])("finds entries by %s", async (_, text, events) => {
    expect(await search(text())).toEqual(events);
  });

  test("finds an entry by its number, and a job by the name of its file", async () => {
    const { body } = await service.get("/api/audit?filter[event]=guest_account_update");
    expect(await search(body.data[0].id)).toEqual(["guest_account_update"]);
    const users = [{ pairwiseID: "nobody-yet" }];
    const name = encodeURIComponent("Leavers of autumn.csv");
    expect((await service.post(`/api/jobs/onboarding?dryRun=true&name=${name}`, { users })).status).toBe(202);
    expect(await search("leavers of")).toEqual(["job_create"]);
    expect(await search("leavers of", as.service({ realmId, scopes: ["audit.read"] }))).toEqual([]);
  });

  test("finds entries by a name only if the caller may read that name", async () => {
    const auditOnly = as.service({ realmId, scopes: ["audit.read"] });
    for (const text of ["Ada Lovelace", "al-1815", "Analytical", "Open day", "Night sync"])
      expect(await search(text, auditOnly)).toEqual([]);
    expect(await search(serial, auditOnly)).toEqual(["profile_revoke"]);
    const ofPeople = as.service({ realmId, scopes: ["audit.read", "user.read"] });
    expect(await search("Ada Lovelace", ofPeople)).toEqual(["user_lock", "profile_revoke", "user_offboard"]);
    expect(await search("Analytical", ofPeople)).toEqual([]);
  });

  test("also limits the exported file, whose audit entry does not contain the search text", async () => {
    const { text } = await service.get("/api/audit/export?search=ada%20lovelace");
    const lines = text.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      "user_lock",
      "profile_revoke",
      "user_offboard",
    ]);
    const { body } = await service.get("/api/audit?filter[event]=audit_export&limit=1");
    expect(JSON.parse(body.data[0].properties)).toEqual({ format: "ndjson", filter: {}, search: "…" });
  });
});

describe("the filters of the audit log", () => {
  test("find an entry by its number, only in its own realm", async () => {
    const { body } = await service.get("/api/audit?filter[event]=user_lock");
    const { id } = body.data[0];
    expect(await found(service, `filter[id]=${id}`)).toEqual(["user_lock"]);
    expect(await found(as.service({ realmId: api.realmId }), `filter[id]=${id}`)).toEqual([]);
    expect((await service.get("/api/audit?filter[id]=x")).status).toBe(400);
  });

  test("find all entries of a job, only in its own realm", async () => {
    expect(await found(service, `filter[job]=${job}`)).toEqual(["job_create", "user_offboard", "job_finish"]);
    expect(await found(as.service({ realmId: api.realmId }), `filter[job]=${job}`)).toEqual([]);
  });

  test("can show a job as one entry: its end, or its creation while it is unfinished", async () => {
    const ofJobs = async (query: string): Promise<string[]> => {
      const { body } = await service.get(`/api/audit?sort[date]=asc&${query}`);
      return body.data.flatMap((entry: { event: string; properties: string }) => {
        const { job: id } = JSON.parse(entry.properties) as { job?: string };
        const state = { [job]: "ended", [openJob]: "open" }[id ?? ""];
        return state === undefined ? [] : [`${entry.event} ${state}`];
      });
    };
    expect(await ofJobs("filter[jobSteps]=false")).toEqual(["job_finish ended", "job_create open"]);
    expect(await ofJobs("filter[jobSteps]=true")).toEqual([
      ...["job_create ended", "user_offboard ended", "job_finish ended", "job_create open", "job_start open"],
    ]);
    expect(await found(service, "filter[jobSteps]=false")).toContain("user_lock");
  });
});

describe("the guest accounts included with the audit log", () => {
  const guests = async (scopes: readonly ("audit.read" | "guest.view")[]) =>
    (await as.service({ realmId, scopes: [...scopes] }).get("/api/audit?include=guests")).body;

  test("have names, only in the caller's realm", async () => {
    const stranger = await given.guestAccount({ realmId: api.realmId, name: "Elsewhere" });
    for (const guestAccountID of [stranger.id, "999999999", "x"])
      await record("guest_account_update", { guestAccountID });
    await record("guest_profile_create", { guestAccount: account.id, serial: "1" });
    expect((await guests(["audit.read", "guest.view"])).guests).toEqual({ [account.id]: { name: "Open day" } });
  });

  test("require the scope for guest accounts", async () => {
    expect(await guests(["audit.read"])).toMatchObject({ error: "insufficient_scope" });
  });
});

describe("the devices included with the audit log", () => {
  const devices = async (scopes: readonly ("audit.read" | "profile.read" | "guest.view")[]) => {
    const caller = as.service({ realmId, scopes: [...scopes] });
    return caller.get("/api/audit?include=devices&filter[event]=profile_revoke,guest_profile_revoke");
  };

  test("have names and owners, if the caller has the scope for their kind of profile", async () => {
    const guests = await given.profile({ realmId }, { guestAccountId: account.id, name: "Badge 7" });
    await record("guest_profile_revoke", { serial: guests });
    const own = { [serial]: { name: "Analytical engine", kind: "user", owner: ada.id, guestAccountID: null } };
    expect((await devices(["audit.read", "profile.read"])).body.devices).toEqual(own);
    expect((await devices(["audit.read", "profile.read", "guest.view"])).body.devices).toEqual({
      ...own,
      [guests]: { name: "Badge 7", kind: "guest", owner: null, guestAccountID: account.id },
    });
  });

  test("require the scope for profiles", async () => {
    expect((await devices(["audit.read"])).body).toMatchObject({ error: "insufficient_scope" });
  });
});
