import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { openDatabase, type Database } from "../../db/client.ts";
import * as applications from "../../db/queries/oauth/applications.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import * as sampleData from "../../db/queries/upkeep/sample-data.ts";
import { scopesAllowedTo } from "../../domain/people/scopes.ts";
import type { Clock } from "../../runtime/clock.ts";
import { drawSecretToken } from "../../runtime/keys/secret-token.ts";
import { samplePeople } from "./people.ts";

interface SampleDataOptions {
  /**
   * The database with its owner's rights, for the steps that no client can do, such as moving entries into the past.
   */
  ownerUrl: string;
  clock: Clock;
  realmId: string;
  /** The address of the running service's API. */
  baseUrl: string;
}

const daysBack = 29;

/**
 * Fills a realm with people, profiles, guests and applications, as a client of the running service; the profiles are
 * real. Finally spreads their dates over the last weeks. For development only.
 */
export async function addSampleData({ ownerUrl, ...options }: SampleDataOptions): Promise<void> {
  const db = openDatabase({ url: ownerUrl, connectionsMax: 1, applicationName: "realmpass sample data" });
  try {
    const client = await openClient(db, options);
    await addTo(db, client.call, options);
    await client.end();
  } finally {
    await db.close();
  }
}

type Options = Omit<SampleDataOptions, "ownerUrl">;

async function addTo(db: Database, call: Call, { clock, realmId }: Options): Promise<void> {
  const realm = await realms.findById(db, realmId);
  if (realm === undefined) throw new Error("the realm has gone");
  await call("PUT", "/api/realm", { displayName: "University of Example", logoURI: "", maxProfiles: 5, maxValid: 24 });

  const people = samplePeople(realm.domain);
  const job = await call<{ id: string }>("POST", "/api/jobs/onboarding", { users: people });
  await waitFor(async () => {
    const { state } = await call<{ state: string }>("GET", `/api/jobs/${job.id}`);
    return state === "completed" || state === "completed_with_errors";
  });

  const users = await call<{ userID: string; pairwiseID: string }[]>("GET", "/api/user?limit=1000&sort[created]=asc");
  const onboarded = users.filter(({ pairwiseID }) => people.some((person) => person.pairwiseID === pairwiseID));
  const every = (step: number) => onboarded.filter((_, index) => index % step === step - 1);
  for (const { userID } of every(31)) await call("PUT", `/api/user/${userID}/status`, { locked: true });
  for (const { userID } of every(23)) await call("DELETE", `/api/user/${userID}`);
  const profiles = await call<{ serial: string }[]>("GET", "/api/profiles?limit=1000");
  const lost = profiles.filter((_, index) => index % 9 === 0).map(({ serial }) => serial);
  await call("DELETE", "/api/profiles/bulk", { profiles: lost, reason: 4 });

  const inDays = (days: number): string => new Date(clock.now().getTime() + days * 86_400_000).toISOString();
  for (const account of [
    { name: "Summer school on inverse problems", expirationDate: inDays(12), profileLimit: 60, note: "Room 2.014" },
    { name: "Visitors of the library", expirationDate: inDays(90), profileLimit: null, note: null },
    { name: "Auditors, third floor", expirationDate: inDays(5), profileLimit: 4, note: "Ask the finance office" },
  ]) {
    await call("POST", "/api/guest-account", account);
  }
  await call("POST", "/api/infrastructure-profile/radius-1", infrastructure("RADIUS server in the main building"));
  await call("POST", "/api/infrastructure-profile/radius-2", infrastructure("RADIUS server in the data centre"));
  await call("POST", "/api/applications", {
    type: "useragent",
    name: "Campus app",
    clientURI: "https://app.example",
    redirectURI: "https://app.example/back",
    scopes: ["openid", "offline_access", "profile.read", "profile.create", "profile.delete"],
  });
  await call("POST", "/api/applications", {
    type: "service",
    name: "Student records",
    clientURI: "https://records.example",
    scopes: ["job.create", "job.read", "user.read", "user.modify", "user.delete"],
  });
  // Finishes the set-up, so the dashboard looks like that of a realm in use.
  await call("POST", "/api/setup/finish");
  await waitFor(() => sampleData.areRevocationsListed(db, { realmId }));
  await sampleData.spreadOverDays(db, { realmId, days: daysBack });
  await sampleData.addQuestions(db, { realmId, at: clock.now() });
  await sampleData.nameAdministrator(db, { realmId, email: `g.hopper@${realm.domain}` });
}

const infrastructure = (description: string) => ({ format: "pem", validityMonths: 24, description });

type Call = <Data>(method: string, path: string, body?: unknown) => Promise<Data>;

/**
 * Registers a service application of this realm. The application has a secret only during this run, and is kept because
 * the audit log names it.
 */
async function openClient(
  db: Database,
  { clock, realmId, baseUrl }: Options,
): Promise<{ call: Call; end: () => Promise<void> }> {
  const clientId = randomUUID();
  const secret = drawSecretToken("clientSecret");
  await db.transaction((tx) =>
    applications.create(tx, {
      clientId,
      realmId,
      type: "service",
      name: "Sample data",
      clientUri: baseUrl,
      redirectUris: [],
      scopes: scopesAllowedTo("service"),
      useClientSecret: true,
      requirePkce: false,
      createdBy: "operator",
      secretHash: secret.hash,
      at: clock.now(),
    }),
  );
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret.token }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };

  const call: Call = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
  return { call, end: () => db.transaction((tx) => applications.removeSecrets(tx, { clientId })) };
}

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(250);
}
