import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { UserExportView } from "../../../../../api/contract/views/user-export-view.ts";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { givenJob } from "../../../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { certificateDer } from "../../../../support/given/hierarchy/test-hierarchy.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const owner = () => api.database.owner;

let person: GivenUser;
let other: GivenUser;
let administrator: GivenUser;
let serials: string[];
let secrets: string[];
const pairwiseId = `person-${randomBytes(4).toString("hex")}`;
const othersId = `other-${randomBytes(4).toString("hex")}`;

const exportPath = (user: GivenUser): string => `/api/user/${user.id}/export`;

beforeAll(async () => {
  const { realmId } = api;
  administrator = await given.user({ realmId, administrator: true });
  person = await given.user({ realmId, pairwiseId, email: "person@example.org" });
  other = await given.user({ realmId, pairwiseId: othersId, email: "other@example.org" });
  serials = [];
  for (const user of [person, person, other]) serials.push(await given.profile(user, { description: `of ${user.id}` }));
  await owner().query(sql`update certificates set certificate = ${certificateDer("issuing")}`);
  await owner().query(sql`update certificates set last_ocsp_at = now() where serial_number = ${serials[0]}`);
  const session = await given.session({ user: person });
  await given.consent(person, session.clientId);
  const login = await given.login(person);
  const link = await given.signInLink(person);
  const hash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g";
  await owner().query(sql`
    insert into local_credentials (user_id, realm_id, username, password_hash)
    values (${person.id}, ${realmId}, 'person-name', ${hash})
  `);
  await owner().query(sql`
    insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
    values (${realmId}, 'https://idp.example', 'subject-of-person', ${person.id}, now())
  `);
  secrets = [session.accessToken, session.refreshToken, session.code, login, link];
  secrets = [...secrets, ...secrets.map((token) => createHash("sha256").update(token).digest("hex")), hash];
  await givenJob(owner(), {
    realmId,
    kind: "onboarding",
    state: "ready",
    rows: [
      { pairwiseId: othersId, email: "other@example.org" },
      { pairwiseId, email: "person@example.org" },
    ],
  });
  await as.user(administrator).put(`/api/user/${person.id}/status`, { locked: true });
  await as.user(administrator).put(`/api/user/${other.id}/status`, { locked: true });
});

describe("an export of a user", () => {
  test("is one JSON object with all data about the user, without other users' data and secrets", async () => {
    const answer = await as.user(administrator).get(exportPath(person));

    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers["content-disposition"]).toBe(`attachment; filename="user-${person.id}.json"`);
    const data = UserExportView.parse(JSON.parse(answer.text));
    expect(data.user).toMatchObject({ userID: person.id, pairwiseID: pairwiseId, email: "person@example.org" });
    expect(data.signIn).toMatchObject({
      username: "person-name",
      identities: [{ issuer: "https://idp.example", subject: "subject-of-person" }],
      logins: [{ method: "local" }],
      links: [{ consumedAt: null }],
    });
    expect([data.sessions, data.consents].map((found) => found.length)).toEqual([1, 1]);
    expect(data.profiles.map(({ serial }) => serial)).toEqual(serials.slice(0, 2));
    expect(new X509Certificate(data.profiles[0]!.certificate).raw).toEqual(certificateDer("issuing"));
    expect(data.profiles[0]).toMatchObject({
      description: `of ${person.id}`,
      firstOcsp: data.profiles[0]!.lastOcsp,
      firstRefusal: null,
      lastOcsp: expect.any(String) as string,
    });
    expect(data.jobRows).toMatchObject([{ row: 2, input: { pairwiseID: pairwiseId } }]);
    expect(data.activity).toMatchObject([
      { event: "user_lock", by: "other", properties: { userID: person.id } },
      { event: "user_export", by: "other" },
    ]);
    for (const foreign of [othersId, "other@example.org", serials[2]!, ...secrets]) {
      expect(answer.text).not.toContain(foreign);
    }
  });

  test("of an administrator lists their actions without the affected users", async () => {
    const { activity } = UserExportView.parse(JSON.parse((await as.admin().get(exportPath(administrator))).text));
    expect(activity.filter(({ event }) => event === "user_lock")).toMatchObject([
      { by: "user", properties: null },
      { by: "user", properties: null },
    ]);
  });

  test("is in the audit log with its caller", async () => {
    const made = await given.user({ realmId: api.realmId });
    await as.user(administrator).get(exportPath(made));
    expect(await auditOf(api.database, "userID", made.id)).toMatchObject([
      { event: "user_export", userId: administrator.id, properties: { userID: made.id } },
    ]);
  });

  test("is complete if the audit log is longer than a page", async () => {
    const user = await given.user({ realmId: api.realmId });
    await owner().query(sql`
      insert into audit_entries (realm_id, at, event, user_id, properties)
      select ${api.realmId}, now() + n / 10 * interval '1 millisecond', 'user_lock',
             case when n % 1000 = 0 then ${user.id}::bigint end,
             jsonb_build_object('userID', case when n % 2000 = 1 then ${user.id}::text else '0' end)
        from generate_series(1, 12000) n
    `);
    const { activity } = UserExportView.parse(JSON.parse((await as.admin().get(exportPath(user))).text));
    const locks = activity.filter(({ event }) => event === "user_lock");
    expect(locks.filter(({ by }) => by === "user")).toHaveLength(12);
    expect(locks.filter(({ by }) => by === "other")).toHaveLength(6);
    expect(new Set(locks.map(({ id }) => id)).size).toBe(18);
  });
});

describe("access to an export", () => {
  test("is allowed to the user with their own token, once a minute", async () => {
    const user = await given.user({ realmId: api.realmId });
    const self = as.user(user, { scopes: ["profile.read"] });
    const first = await self.get(exportPath(user));
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text)).toMatchObject({ user: { userID: user.id }, activity: [{ by: "user" }] });
    const again = await self.get(exportPath(user));
    expect(again).toBeError("too_many_requests");
    expect(again.headers["retry-after"]).toBeDefined();
    expect((await as.admin().get(exportPath(user))).status).toBe(200);
  });

  test("returns 404 to another user without a role, a guest and callers of another realm", async () => {
    const missing = await as.user(other).get("/api/user/999999/export");
    expect(missing).toBeError("user_not_found");
    expect(await as.user(other).get(exportPath(person))).toBeError("user_not_found");
    expect(await as.guest().get(exportPath(person))).toBeError("user_not_found");
    expect(await as.admin({ realmId: await given.realm() }).get(exportPath(person))).toBeError("user_not_found");
  });

  test.each(["user.read", "profile.read", "job.read", "audit.read"] as const)(
    "requires the scope %s of administrators",
    async (scope) => {
      const scopes = allScopes.filter((one) => one !== scope);
      expect(await as.admin({ scopes }).get(exportPath(person))).toBeError("insufficient_scope");
    },
  );

  test("is refused to the user without profile.read", async () => {
    expect(await as.user(other, { scopes: ["openid"] }).get(exportPath(other))).toBeError("insufficient_scope");
  });
});
