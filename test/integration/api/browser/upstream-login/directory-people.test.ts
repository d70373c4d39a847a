import { expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { useUpstreamProvider, type UpstreamAccount } from "../../../../support/counterparts/upstream-provider.ts";
import { givenDirectory } from "../../../../support/given/directory.ts";
import { useApi } from "../../../../support/service/api.ts";
import { browserOf, expectProblem, setUpstream, signedInUser, startPath, usersOf } from "./upstream-login-support.ts";

/** People whom a directory manages sign in through the identity provider. */

const api = useApi();
const upstream = useUpstreamProvider({
  redirectUri: () => `${api.url}/login/upstream/callback`,
  claims: ["pairwise_id", "groups"],
});

async function connected() {
  const directory = await givenDirectory(api);
  const { url: issuer, clientId, clientSecret } = upstream;
  await setUpstream(api, directory.realmId, { issuer, clientId, clientSecret, claims: {} });
  const signIn = async (account: UpstreamAccount) => {
    upstream.signsIn(account);
    const browser = browserOf(api, () => upstream.url);
    const visit = await browser.get(`${api.url}${await startPath(api, directory.realmId)}`);
    return { visit, user: await signedInUser(api, browser) };
  };
  return { ...directory, signIn };
}

const claimed = { email: "claimed@example.org", name: "Claimed" };
const nameOf = async (id: string) =>
  (await api.database.owner.query(sql`select email, display_name as name from users where id = ${id}`))[0];

test("a user of a directory who signs in stays one user, with the directory's name and address until it is deleted", async () => {
  const { person, scim, signIn, clientId } = await connected();
  const named = { displayName: "Ada", emails: [{ value: "ada@example.org" }] };
  const id = await person({ externalId: "known", ...named });
  const { user } = await signIn({ sub: "1", pairwise_id: "known", ...claimed });
  expect(user?.id).toBe(id);
  expect(await nameOf(id)).toEqual({ email: "ada@example.org", name: "Ada" });
  const read = await scim.get(`/Users/${id}`);
  expect(read.body).toMatchObject(named);

  await api.database.owner.query(sql`delete from applications where client_id = ${clientId}`);
  await signIn({ sub: "1", pairwise_id: "known", ...claimed });
  expect(await nameOf(id)).toEqual({ email: claimed.email, name: claimed.name });
});

test("if only the directory adds users, a sign-in creates none; by default it creates one", async () => {
  const { realmId, person, signIn } = await connected();
  const stranger = { sub: "2", pairwise_id: "stranger", ...claimed };
  await api.database.owner.query(sql`update realms set new_people = 'scim' where id = ${realmId}`);
  const before = await usersOf(api, realmId);
  const refused = await signIn(stranger);
  expectProblem(refused.visit, "not_set_up");
  expect(refused.user).toBeUndefined();
  expect(await usersOf(api, realmId)).toEqual(before);
  const id = await person({ externalId: "stranger" });
  expect((await signIn(stranger)).user?.id).toBe(id);

  const other = await connected();
  expect((await other.signIn(stranger)).user).toMatchObject({ pairwiseId: "stranger" });
});

test("if the realm names an attribute, the directory decides VLAN and permission; claims decide for other users", async () => {
  const { realmId, person, patch, signIn } = await connected();
  await realms.update(api.database.owner, realmId, {
    vlanRules: [{ claim: "groups", value: "wifi", vlan: "30" }],
    scimAttributes: [{ claim: "groups", path: "roles" }],
  });
  await api.database.owner.query(sql`
    update realms set upstream_claims = jsonb_build_object('mayUse', '[{"claim": "groups", "value": "wifi"}]'::jsonb)
     where id = ${realmId}
  `);
  const vlanOf = async (id: string) =>
    (await api.database.owner.query(sql`select from_provider as vlan from user_vlans where user_id = ${id}`))[0];
  const [inside, outside] = [{ groups: ["wifi"] }, { groups: ["other"] }];

  const id = await person({ externalId: "led", roles: "wifi" });
  expect((await signIn({ sub: "3", pairwise_id: "led", ...outside })).user?.id).toBe(id);
  expect(await vlanOf(id)).toEqual({ vlan: "30" });

  await patch(id, { op: "replace", path: "roles", value: "other" });
  const refused = await signIn({ sub: "3", pairwise_id: "led", ...inside });
  expectProblem(refused.visit, "upstream_not_permitted");
  expect(await vlanOf(id)).toBeUndefined();

  // For people whom no directory manages, the claims decide.
  const { user } = await signIn({ sub: "4", pairwise_id: "own", ...inside });
  expect(await vlanOf(user!.id)).toEqual({ vlan: "30" });
  expectProblem((await signIn({ sub: "5", pairwise_id: "strange", ...outside })).visit, "upstream_not_permitted");
});
