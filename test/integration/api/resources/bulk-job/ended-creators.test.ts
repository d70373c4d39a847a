import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findOrCreateUser } from "../../../../../api/browser/upstream-login/find-or-create-user.ts";
import type { Database } from "../../../../../db/client.ts";
import { sql } from "../../../../../db/sql.ts";
import { scopesAllowedTo } from "../../../../../domain/people/scopes.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { useApi } from "../../../../support/service/api.ts";
import { bulkClientOf, driveJobs, givenJob, jobOf, leaveIn } from "../../../../support/given/bulk-jobs.ts";

const api = useApi();
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= api.database.open("realmpass_worker")));

/** A realm with a person who creates jobs; the realm's client for jobs exists once the realm has a job. */
interface Creators {
  realmId: string;
  userId: string;
}

const another = ({ realmId }: Creators) => api.as.admin({ realmId });
const client = ({ realmId }: Creators): string => `/api/applications/${bulkClientOf(realmId)}`;

async function inBulk({ realmId, userId }: Creators): Promise<void> {
  const rows = [{ userId }];
  await jobs.advance(await givenJob(api.database.owner, { realmId, kind: "offboarding", rows }));
}

/** Signs in at the identity provider, whose claims do not make the person an administrator. */
async function signInWithoutRole({ realmId, userId }: Creators): Promise<void> {
  const [user] = await api.database.owner.query<{ pairwiseId: string }>(
    sql`select pairwise_id as "pairwiseId" from users where id = ${userId}`,
  );
  const { pairwiseId = "" } = user ?? {};
  const person = {
    subject: pairwiseId,
    pairwiseId,
    email: undefined,
    displayName: undefined,
    permitted: true,
    mappedRoles: ["administrator" as const],
    roles: [],
    withheldRoles: [],
    vlan: null,
  };
  const deps = { db: api.database.open("realmpass_api"), clock: systemClock };
  await findOrCreateUser(deps, { realmId, issuer: "https://idp.example", person });
}

const ends: [end: string, by: "person" | "client", act: (creators: Creators) => Promise<unknown>][] = [
  ["the creator is offboarded", "person", (all) => another(all).delete(`/api/user/${all.userId}`)],
  ["the creator is offboarded in bulk", "person", inBulk],
  ["the creator is no longer an administrator", "person", signInWithoutRole],
  ["the creating client is switched off", "client", (all) => another(all).put(client(all), { active: false })],
  [
    "the creating client loses a scope that the job needs",
    "client",
    (all) =>
      another(all).put(client(all), { scopes: scopesAllowedTo("service").filter((scope) => scope !== "user.delete") }),
  ],
  ["the creating client is deleted", "client", (all) => another(all).delete(client(all))],
];

async function givenCreators(): Promise<Creators> {
  const realmId = await api.given.realm();
  // A realm's only administrator would keep the role, so there is a second one.
  await api.given.user({ realmId, administrator: true });
  return { realmId, userId: (await api.given.user({ realmId, administrator: true })).id };
}

async function waiting(
  { realmId, userId }: Creators,
  {
    by,
    state,
    kind = "offboarding",
  }: Pick<Parameters<typeof givenJob>[1], "state"> & {
    by: "person" | "client";
    kind?: "offboarding" | "onboarding";
  },
): Promise<string> {
  const rows = [{ pairwiseId: randomUUID() }, { pairwiseId: randomUUID() }, { invalid: "pairwiseID: is missing" }];
  const owner = api.database.owner;
  const id = await givenJob(owner, { realmId, kind, rows, ...(by === "person" && { createdByUserId: userId }) });
  if (state !== undefined && state !== "receiving") await leaveIn(owner, id, state);
  return id;
}

describe.each(ends)("once %s", (_, by, end) => {
  test.each(["scheduled", "queued"] as const)("a %s job waits for another user to start it", async (state) => {
    const creators = await givenCreators();
    const id = await waiting(creators, { by, state });

    await end(creators);

    expect(await jobOf(api.database.owner, id)).toMatchObject({
      state: "ready",
      errorCode: "creator_ended",
      changed: 2,
      failed: 1,
      startedAt: null,
    });
    const colleague = api.as.service({ realmId: creators.realmId });
    const started = await colleague.post(`/api/jobs/${id}/start`, { confirmTotal: 2 });
    expect(started.body.data).toMatchObject({ state: "queued", error: null });
  });

  test("running and ready jobs, and the jobs of other creators, stay unchanged", async () => {
    const creators = await givenCreators();
    const others = by === "person" ? "client" : "person";
    const untouched = [
      [await waiting(creators, { by, state: "running" }), "running"],
      [await waiting(creators, { by, state: "ready" }), "ready"],
      [await waiting(creators, { by: others, state: "scheduled" }), "scheduled"],
      [await waiting(creators, { by: others, state: "queued" }), "queued"],
    ] as const;

    await end(creators);

    for (const [id, state] of untouched) {
      expect(await jobOf(api.database.owner, id)).toMatchObject({ state, errorCode: null });
    }
  });
});

test("a client's job continues if the client keeps the scopes that the job needs", async () => {
  const creators = await givenCreators();
  const id = await waiting(creators, { by: "client", state: "scheduled", kind: "onboarding" });
  const kept = scopesAllowedTo("service").filter((scope) => scope !== "user.delete" && scope !== "profile.create");
  await another(creators).put(client(creators), { scopes: kept });
  expect(await jobOf(api.database.owner, id)).toMatchObject({ state: "scheduled", errorCode: null });
});

test("a client that waits for the job is notified", async () => {
  const creators = await givenCreators();
  const id = await waiting(creators, { by: "person", state: "queued" });
  const before = await jobOf(api.database.owner, id);
  const waitFor = (job: string, seconds = 60) =>
    another(creators).get(`/api/jobs/${job}`, { headers: { prefer: `wait=${seconds}` } });
  // Control: the wait for another creator's job, which expires earlier, continues.
  const unchanged = await waiting(creators, { by: "client", state: "queued" });
  let isOver = false;
  const control = waitFor(unchanged, 50).finally(() => (isOver = true));
  const wait = waitFor(id);
  await another(creators).delete(`/api/user/${creators.userId}`);
  expect((await wait).body.data).toMatchObject({ state: "ready", error: "creator_ended" });
  expect(isOver).toBe(false);
  await leaveIn(api.database.owner, unchanged, "completed");
  await control;
  expect(Number((await jobOf(api.database.owner, id)).revision)).toBe(Number(before.revision) + 1);
});
