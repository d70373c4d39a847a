import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const settingsOf = async (realmId: string) =>
  (await as.admin({ realmId }).get("/api/realm/settings")).body.data as Record<string, unknown> & {
    realmName: string;
    locked: Record<string, string>;
  };

test("all settings are in one response, including those that only the operator can change", async () => {
  const realmId = await given.realm();
  const { realmName, locked, ...settings } = await settingsOf(realmId);
  expect(settings).toEqual({
    displayName: realmName,
    logoURI: "",
    helpURI: "",
    privacyURI: "",
    maxProfiles: 5,
    maxValid: 12,
    ssids: ["eduroam"],
    wired: false,
    offboardingShare: 20,
    guestDaysMax: 90,
    guestLimitMax: 200,
    timeZone: "UTC",
    radiusCN: null,
    radiusCA: null,
    radiusAddresses: [],
    domain: expect.any(String),
    localSignIn: expect.any(Boolean),
    publicationURL: api.url,
    setUpAt: null,
    forgetAfterMonths: null,
    upstreamIssuer: null,
    upstreamClientID: null,
    upstreamClientSecretSet: false,
    claimPairwiseID: null,
    claimEmail: null,
    claimDisplayName: null,
    claimAdministrator: null,
    claimRoles: [],
    mayUse: [],
    vlanRules: [],
    vlanDefault: null,
  });
  expect(Object.keys(settings)).toEqual(expect.arrayContaining(Object.keys(locked)));
});

test("each setting that cannot be changed here has the operator's command with its current value, quoted for a shell", async () => {
  const realmId = await given.realm();
  const claims = {
    email: "mail",
    roles: { help_desk: [{ claim: "groups", value: "IT's help; rm -r" }] },
    mayUse: [
      { claim: "hd", value: "uni.example" },
      { claim: "groups", value: "guests of IT" },
    ],
  };
  await api.database.owner.query(sql`
    update realms
       set radius_cn = 'radius.uni.example', local_sign_in = true, forget_after_months = 18,
           upstream_issuer = 'https://idp.example', upstream_claims = ${JSON.stringify(claims)}
     where id = ${realmId}
  `);
  const { realmName, locked, ...settings } = await settingsOf(realmId);
  expect(settings).toMatchObject({ mayUse: ["hd=uni.example", "groups=guests of IT"] });
  const command = `npm run operator -- realm set --realm ${realmName}`;
  expect(locked).toMatchObject({
    radiusCN: `${command} --radius-cn radius.uni.example`,
    localSignIn: `${command} --local-sign-in on`,
    forgetAfterMonths: `${command} --forget-after-months 18`,
    wired: `${command} --wired on`,
    upstreamIssuer: `${command} --upstream-issuer https://idp.example`,
    claimEmail: `${command} --claim-email mail`,
    claimRoles: `${command} --claim-role 'help_desk=groups=IT'\\''s help; rm -r'`,
    mayUse: `${command} --may-use hd=uni.example --may-use 'groups=guests of IT'`,
  });
  expect(locked).not.toHaveProperty("radiusCA");

  await api.database.owner.query(sql`update realms set set_up_at = now(), wired = true where id = ${realmId}`);
  const later = await settingsOf(realmId);
  expect(later).toMatchObject({ wired: true });
  expect(later.locked["wired"]).toBe(`${command} --wired off`);
  expect(later["setUpAt"]).toMatch(/^\d{4}-.*Z$/);
  expect(later.locked["radiusCA"]).toBe(`${command} --radius-ca-file radius-ca.pem`);
});

test("an auditor can read the settings; a guest manager and a user without a role cannot", async () => {
  const user = await given.user({ realmId: api.realmId });
  expect(await as.user(user).get("/api/realm/settings")).toBeError("forbidden");
  const auditor = await given.user({ realmId: api.realmId, roles: ["auditor"] });
  expect(await as.user(auditor).get("/api/realm/settings")).toMatchObject({ status: 200 });
  const guestManager = await given.user({ realmId: api.realmId, roles: ["guest_manager"] });
  expect(await as.user(guestManager).get("/api/realm/settings")).toBeError("insufficient_scope");
});
