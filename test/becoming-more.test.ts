import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../db/sql.ts";
import { roles, scopesOfRoles } from "../domain/people/roles.ts";
import { isMachineScope, Scope, scopesAllowedTo, signInScopes } from "../domain/people/scopes.ts";
import { authorizationOn } from "./support/given/authorization.ts";
import {
  bearer,
  deviceSignInOn,
  profileFor,
  profilePath,
  send,
  withClientCertificates,
} from "./support/given/device-sign-in.ts";
import { useUpstreamProvider } from "./support/counterparts/upstream-provider.ts";
import type { GivenApplication, GivenUser } from "./support/given/given.ts";
import { givenIssuingRealm } from "./support/given/issuing.ts";
import { service, useragent } from "./support/given/registration.ts";
import { useApi, type Caller } from "./support/service/api.ts";

/**
 * No caller gains rights. A service with each single scope, and a person with each role, try everything that could give
 * them more rights. Each way has a control: a caller who succeeds in this way.
 */

const api = useApi({
  ...withClientCertificates,
  settings: { ...withClientCertificates.settings, upstreamNetworks: "127.0.0.0/8" },
});
const provider = useUpstreamProvider({ redirectUri: () => `${api.url}/login/upstream/callback` });
const { as, given } = api;
const { issue, signIn } = deviceSignInOn(api);
const flows = authorizationOn(api);

let realmId: string;
let client: GivenApplication;
let plain: GivenUser;
let administrator: GivenUser;
let strong: GivenApplication;
let withSecret: GivenApplication;
let directory: GivenApplication;

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 }));
  await api.startWorker();
  client = await given.application({ realmId, type: "useragent" });
  strong = await given.application({ realmId, type: "useragent", scopes: ["openid", "role.modify", "user.delete"] });
  withSecret = await given.application({ realmId, scopes: ["user.delete", "profile.delete"] });
  directory = await given.application({ realmId, scopes: ["scim"] });
  plain = await given.user({ realmId });
  administrator = await given.user({ realmId, administrator: true });
});

const machineScopes = Scope.options.filter(isMachineScope);

/** A caller who tries to gain rights. */
interface Attempt {
  caller: Caller;
  /** The person that the token represents; undefined for a service. */
  person?: GivenUser;
  held: ReadonlySet<Scope>;
}

type Outcome = "refused" | "more";
const outcome = (answer: { status: number }): Outcome => (answer.status < 300 ? "more" : "refused");
const scopesIn = (token: unknown): Scope[] => String(decodeJwt(String(token))["scope"]).split(" ") as Scope[];

/** A way of gaining rights. */
interface Way {
  name: string;
  /** Tries the way. Returns `more` if the caller gained rights. */
  attempt: (who: Attempt) => Promise<Outcome>;
  /** Shows that the way exists by returning `more` for some caller. Default: an administrator with every scope. */
  control?: () => Promise<Outcome>;
  /** The scope that permits this way by design. */
  isOf?: Scope;
}

const to = (name: string, attempt: Way["attempt"], rest: Omit<Way, "name" | "attempt"> = {}): Way => ({
  name,
  attempt,
  ...rest,
});

const change = (given: object): Way =>
  to(`change ${Object.keys(given).join()} of an application that gives roles`, async ({ caller }) =>
    outcome(await caller.put(`/api/applications/${strong.clientId}`, given)),
  );

const register = (scopes: readonly Scope[], registration: object): Way =>
  to(`register an application with ${scopes.join(" ")}`, async ({ caller }) =>
    outcome(await caller.post("/api/applications", { ...registration, scopes })),
  );

/**
 * Makes a profile of the owner as the caller and signs in with it. Returns `more` if the token contains scopes that the
 * caller does not hold.
 */
async function signInAs(owner: GivenUser, { caller, held }: Attempt): Promise<Outcome> {
  const path = profilePath(owner);
  if (outcome(await caller.post(path, profileFor())) === "refused") return "refused";
  const { body } = await signIn(client, await issue(owner, { by: caller }));
  const gained = scopesIn(body.access_token).filter((scope) => !signInScopes.includes(scope) && !held.has(scope));
  return gained.length === 0 ? "refused" : "more";
}

async function offboardedAdministrator(): Promise<GivenUser> {
  const former = await given.user({ realmId, administrator: true });
  expect((await as.admin({ realmId }).delete(`/api/user/${former.id}`)).status).toBe(200);
  return former;
}

const rolesOf = async ({ id }: GivenUser): Promise<string[]> =>
  (
    await api.database.owner.query<{ roles: string[] }>(sql`
      select roles || provider_roles as roles from users where id = ${id}
    `)
  ).flatMap((user) => user.roles);

const ways: readonly Way[] = [
  register(["role.modify"], useragent),
  register(["user.delete", "profile.delete"], service),
  register(["scim"], service),
  change({ redirectURI: "https://attacker.example/back" }),
  change({ name: "Wi-Fi settings" }),
  change({ clientURI: "https://attacker.example" }),
  change({ scopes: ["openid", "role.modify", "user.delete", "user.read"] }),
  to("get the secret of a service with other scopes", async ({ caller }) =>
    outcome(await caller.post(`/api/applications/${withSecret.clientId}/secret`, {})),
  ),
  to("get the secret of a directory", async ({ caller }) =>
    outcome(await caller.post(`/api/applications/${directory.clientId}/secret`, {})),
  ),
  to("get a static token of a directory", async ({ caller }) => {
    const path = `/api/applications/${directory.clientId}/tokens`;
    const answer = await caller.post(path, {});
    if (outcome(answer) === "refused") return "refused";
    // An application can have only two static tokens.
    await caller.delete(`${path}/${answer.body.data.id}`);
    return "more";
  }),
  to("sign in as an administrator with a profile", async ({ caller }) =>
    outcome(await caller.post(profilePath(administrator), profileFor())),
  ),
  to("sign in with somebody's profile and get more scopes", (who) => signInAs(plain, who), {
    control: () => signInAs(plain, { caller: as.admin({ realmId }), held: new Set() }),
  }),
  to(
    "sign in as staff with a profile of one's own",
    async ({ caller, person }) => {
      const path = profilePath(person ?? plain, { own: true });
      if (person === undefined) return outcome(await caller.post(path, profileFor()));
      const device = await issue(person, { by: caller, own: true });
      const headers = bearer(String((await signIn(client, device)).body.access_token));
      // People may read their own profile, so a refusal below concerns only the list of profiles.
      expect((await send(`${api.tlsUrl}/api/profile`, { headers, device })).status).toBe(200);
      return outcome(await send(`${api.tlsUrl}/api/profiles`, { headers, device }));
    },
    { control: async () => outcome(await as.user(administrator).get("/api/profiles")) },
  ),
  to(
    "give a role",
    async ({ caller, person }) =>
      outcome(await caller.put(`/api/user/${(person ?? plain).id}/roles`, { roles: ["auditor", "guest_manager"] })),
    {
      control: async () => {
        const target = await given.user({ realmId });
        return outcome(await as.admin({ realmId }).put(`/api/user/${target.id}/roles`, { roles: ["auditor"] }));
      },
    },
  ),
  to("set up a sign-in that names administrators", async ({ caller }) =>
    outcome(
      await caller.put("/api/realm/sign-in/draft", {
        kind: "oidc",
        issuer: provider.url,
        clientID: provider.clientId,
        mapping: { roles: { administrator: [{ claim: "sub", value: "me" }] } },
      }),
    ),
  ),
  to(
    "bring an administrator back with the role",
    async ({ caller }) => {
      const former = await offboardedAdministrator();
      if (outcome(await caller.put(`/api/user/${former.id}/undelete`)) === "refused") return "refused";
      return (await rolesOf(former)).length === 0 ? "refused" : "more";
    },
    {
      control: async () => {
        const former = await offboardedAdministrator();
        const admin = as.admin({ realmId });
        expect(outcome(await admin.put(`/api/user/${former.id}/undelete`))).toBe("more");
        await admin.put(`/api/user/${former.id}/roles`, { roles: ["administrator"] });
        return (await rolesOf(former)).includes("administrator") ? "more" : "refused";
      },
    },
  ),
  to("have a job make a profile in somebody's name", async ({ caller }) => {
    const row = { pairwiseID: "a-new-person", profileName: "phone", deviceType: "iOS", format: "pem" };
    return outcome(await caller.post("/api/jobs/onboarding?dryRun=true", { users: [row] }));
  }),
  to("make a code with which a device gets a profile of one of the staff", async ({ caller }) =>
    outcome(await caller.post(`/api/user/${administrator.id}/hand-overs`, { profileName: "phone" })),
  ),
  to(
    "make a code with which a device gets a profile of somebody",
    async ({ caller }) => outcome(await caller.post(`/api/user/${plain.id}/hand-overs`, { profileName: "phone" })),
    { isOf: "profile.offer" },
  ),
  to(
    "read the link of a guest account",
    async ({ caller }) => outcome(await caller.get(`/api/guest-token/${(await given.guestAccount({ realmId })).id}`)),
    { isOf: "guest.read" },
  ),
  to(
    "make a guest's profile without the link",
    async ({ caller }) => outcome(await caller.post("/api/guest-profile", { ...profileFor(), name: "phone" })),
    {
      control: async () =>
        outcome(
          await as
            .guest(await given.guestAccount({ realmId }))
            .post("/api/guest-profile", { ...profileFor(), name: "phone" }),
        ),
    },
  ),
];

describe.each(ways)("to $name", ({ attempt, control, isOf }) => {
  const scopes = [...scopesAllowedTo("service"), ...machineScopes].filter((scope) => scope !== isOf);
  test.each(scopes)("the scope %s is not enough", async (scope) => {
    const { clientId } = await given.application({ realmId, scopes: [scope] });
    const token = await given.token({ realmId, clientId }, { scopes: [scope] });
    expect(await attempt({ caller: as.token(token), held: new Set([scope]) })).toBe("refused");
  });

  const others = roles.filter((role) => role !== "administrator" && !(isOf && scopesOfRoles([role]).has(isOf)));
  test.each(others)("the role %s is not enough", async (role) => {
    const person = await given.user({ realmId, roles: [role] });
    expect(await attempt({ caller: as.user(person), person, held: scopesOfRoles([role]) })).toBe("refused");
  });

  test("a caller who holds all the resulting scopes succeeds", async () => {
    const who = { caller: as.admin({ realmId }), person: administrator, held: new Set<Scope>() };
    expect(await (control?.() ?? attempt(who))).toBe("more");
  });
});

test.each(roles)(
  "after a user becomes %s, a refresh grants no scope that the consent page did not show",
  async (role) => {
    const person = await given.user({ realmId });
    const application = await given.application({ realmId, type: "useragent" });
    const { body } = await flows.signIn(person, application);
    await api.database.owner.query(sql`update users set roles = ${[role]} where id = ${person.id}`);
    const { body: again } = await flows.refresh(application, body.refresh_token);
    expect(scopesIn(again.access_token)).toEqual(scopesIn(body.access_token));
    // When the application requests more scopes again, the user consents to them.
    const { body: more } = await flows.signIn(person, application);
    expect(scopesIn(more.access_token).length).toBeGreaterThan(scopesIn(body.access_token).length);
  },
);
