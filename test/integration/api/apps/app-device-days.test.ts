import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../db/sql.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { revokeSuperseded } from "../../../../worker/upkeep/upkeep.ts";
import { formsOf, type BrowserSession } from "../../../support/browser/browser-session.ts";
import { answerOf } from "../../../support/given/authorization.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomeOf } from "../../../support/pki/ocsp.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi } from "../../../support/service/api.ts";
import { startTestResponder } from "../../../support/service/responder.ts";
import { silentLog } from "../../../support/service/worker.ts";
import { appsOn, mobile } from "./apps-support.ts";

/** A phone that its owner sets up repeatedly: how the network and the limit treat it in the following days. */

const api = useApi();
const { given } = api;
let issuing: IssuingRealm;
let realm = "";
let ocsp = "";
const { authorizeUrl, browser, redeem, fetch } = appsOn(api, () => realm);

beforeAll(async () => {
  const { owner, url: databaseUrl } = api.database;
  issuing = await givenIssuingRealm(owner);
  await realms.update(owner, issuing.realmId, { onboardingApps: true });
  realm = (await realms.findById(owner, issuing.realmId))?.name ?? "";
  await api.startWorker();
  const responder = await startTestResponder({ databaseUrl, lastOcspEveryMs: 50 });
  ocsp = `${responder.url}/ocsp/${issuing.issuerId}`;
});

const person = (profileOverride: number): Promise<GivenUser> =>
  given.user({ realmId: issuing.realmId, profileOverride });

const active = async ({ id }: GivenUser): Promise<string[]> => {
  const rows = await api.database.owner.query<{ serial: string }>(sql`
    select serial_number as serial from certificates where user_id = ${id} and revoked_at is null order by id
  `);
  return rows.map(({ serial }) => serial);
};

/** Opens the page on a device, keeps the preselected choice, allows, and fetches the file; returns the new profile. */
async function setUp(device: BrowserSession, user: GivenUser): Promise<string> {
  const page = await device.get(authorizeUrl({}, mobile));
  const radios = [...page.text.matchAll(/<input\b[^>]*name="replaces"[^>]*>/g)].map(([input]) => input);
  const chosen = radios.find((input) => /\bchecked\b/.test(input));
  const replaces = /value="([^"]*)"/.exec(chosen ?? "")?.[1] ?? "";
  const visit = await device.submit(page, { decision: "allow", replaces }, { follow: false });
  const token = String((await redeem(answerOf(visit)["code"] ?? "", mobile)).body.access_token);
  expect((await fetch(token)).status).toBe(200);
  return (await active(user)).at(-1)!;
}

/** Sends an OCSP request for a profile, as a RADIUS server does; returns the status in the response. */
async function ask(serialNumber: string): Promise<unknown> {
  const body = encodeOcspRequest([encodeCertId({ issuer: issuing.issuer, serialNumber })]);
  return outcomeOf((await askOverHttp(ocsp, { body })).body);
}

/** Sends an OCSP request for a good profile, and waits until the request is recorded. */
async function askNoted(serialNumber: string): Promise<void> {
  expect(await ask(serialNumber)).toBe("good");
  await eventually(async () => {
    const rows = await api.database.owner.query(sql`
      select from certificates where serial_number = ${serialNumber} and last_ocsp_at is not null
    `);
    expect(rows).toHaveLength(1);
  });
}

/** Moves the times of a person's data back by this many hours, and runs upkeep. */
async function hoursPass({ id }: GivenUser, hours: number): Promise<void> {
  const { owner } = api.database;
  const by = sql`make_interval(hours => ${hours})`;
  await owner.query(sql`
    update certificates
       set created_at = created_at - ${by}, not_before = not_before - ${by}, not_after = not_after - ${by},
           first_ocsp_at = first_ocsp_at - ${by}, last_ocsp_at = last_ocsp_at - ${by}
     where user_id = ${id}
  `);
  await owner.query(sql`
    update issuances
       set created_at = created_at - ${by}, finished_at = finished_at - ${by}, replaced_ends_at = replaced_ends_at - ${by}
     where user_id = ${id}
  `);
  await owner.query(sql`
    update app_authorizations set created_at = created_at - ${by}, token_expires_at = token_expires_at - ${by}
     where user_id = ${id}
  `);
  await revokeSuperseded({ db: api.database.open("realmpass_worker"), clock: systemClock, log: silentLog });
}

const becomesRevoked = (serial: string): Promise<void> =>
  eventually(async () => {
    expect(await ask(serial)).toBe("revoked");
  });

describe("a person with a limit of one profile", () => {
  test("sets up the same phone on three days in a row; a day after each set-up it has one profile, and the old one is refused", async () => {
    const user = await person(1);
    const phone = await browser(user);
    let old: string | undefined;
    for (let day = 1; day <= 3; day++) {
      const profile = await setUp(phone, user);
      expect(await ask(profile)).toBe("good");
      if (old !== undefined) {
        expect(await active(user)).toEqual([old, profile]);
        expect(await ask(old)).toBe("good");
      }
      await hoursPass(user, 25);
      expect(await active(user)).toEqual([profile]);
      if (old !== undefined) await becomesRevoked(old);
      expect(await ask(profile)).toBe("good");
      old = profile;
    }
  });

  test("sets up the phone three times within a day; on the next day it has only the last profile", async () => {
    const user = await person(1);
    const phone = await browser(user);
    const profiles = [await setUp(phone, user), await setUp(phone, user), await setUp(phone, user)];
    expect(await active(user)).toHaveLength(2);
    await hoursPass(user, 25);
    expect(await active(user)).toEqual(profiles.slice(-1));
  });

  test("on a phone without the cookie sees that all profiles are in use, and can choose which one to replace", async () => {
    const user = await person(1);
    const phone = await browser(user);
    const profile = await setUp(phone, user);
    await hoursPass(user, 25);
    const fresh = await (await browser(user)).get(authorizeUrl({}, mobile));
    expect(fresh.text).not.toContain("New device");
    expect(fresh.text).toContain("All 1 profiles are in use");
    expect(fresh.text).not.toMatch(/<input\b[^>]*name="replaces"[^>]*\bchecked\b/);
    expect(formsOf(fresh)[0]?.fields).toHaveProperty("replaces");
    // Control: with the cookie, the phone's own profile is chosen.
    const known = await phone.get(authorizeUrl({}, mobile));
    expect(known.text).toMatch(new RegExp(`<input\\b[^>]*name="replaces"[^>]*value="${profile}"[^>]*\\bchecked\\b`));
  });
});

describe("the replaced profile of a phone", () => {
  const replaced = async () => {
    const user = await person(2);
    const phone = await browser(user);
    const old = await setUp(phone, user);
    const successor = await setUp(phone, user);
    expect(await active(user)).toEqual([old, successor]);
    return { user, old, successor };
  };

  test("stays valid while the network asks about this profile and never about the new one, but is refused after 7 days", async () => {
    const { user, old, successor } = await replaced();
    await askNoted(old);
    await hoursPass(user, 25);
    expect(await active(user)).toEqual([old, successor]);
    expect(await ask(old)).toBe("good");
    await hoursPass(user, 5 * 24);
    expect(await active(user)).toEqual([old, successor]);
    await hoursPass(user, 24);
    expect(await active(user)).toEqual([successor]);
    await becomesRevoked(old);
  });

  test("is refused after 24 hours if the network has also asked about the new one, even once", async () => {
    const { user, old, successor } = await replaced();
    await askNoted(old);
    await askNoted(successor);
    await hoursPass(user, 23);
    expect(await active(user)).toEqual([old, successor]);
    await hoursPass(user, 1);
    expect(await active(user)).toEqual([successor]);
    await becomesRevoked(old);
    expect(await ask(successor)).toBe("good");
  });
});
