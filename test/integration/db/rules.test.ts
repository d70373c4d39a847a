import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as acceptance from "../../../db/operations/acceptance.ts";
import * as rules from "../../../db/rules.ts";
import { join, sql, type Sql } from "../../../db/sql.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { isDnsName } from "../../../domain/certificate/certificate-profile.ts";
import * as entitlement from "../../../domain/certificate/entitlement.ts";
import type { OwnerState } from "../../../domain/certificate/entitlement.ts";
import { hasEnded } from "../../../domain/people/guest-account.ts";
import type { IssuanceState } from "../../../domain/certificate/issuance-state.ts";
import { dnsNames, notDnsNames } from "../../support/given/dns-names.ts";
import { givenRows } from "../../support/given/given.ts";
import { givenIssuance } from "../../support/given/issuing.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);

/** A user, guest account or host with its profiles and issuances, at a given time. */
interface Case {
  at: string;
  kind: OwnerState["kind"];
  /** Fields of a user. */
  offboarded: boolean;
  locked: boolean;
  override: number;
  realmLimit: number;
  replaces: boolean;
  /** Fields of a guest account. */
  revoked: boolean;
  expires: string;
  guestLimit: number | null;
  profiles: { revoked?: boolean; until: string }[];
  issuances: IssuanceState[];
  months: number;
  issuerUntil: string | null;
}

interface Answer {
  limit: number | null;
  count: number;
  end: string;
  refusal: string | null;
  /** The refusal of a user who is offboarded or locked, whatever the limit and the issuer; otherwise null. */
  shutOut: string | null;
  /** Whether a guest account has ended. */
  ended: boolean;
}

const at = "2027-03-15T09:00:00.000Z";
const until = "2027-09-01T00:00:00.000Z";
const justAfter = (instant: string): string => new Date(Date.parse(instant) + 1).toISOString();
const justBefore = (instant: string): string => new Date(Date.parse(instant) - 1).toISOString();

const usual: Case = {
  at,
  kind: "user",
  offboarded: false,
  locked: false,
  override: 0,
  realmLimit: 3,
  replaces: false,
  revoked: false,
  expires: "2029-01-01T00:00:00.000Z",
  guestLimit: 3,
  profiles: [],
  issuances: [],
  months: 12,
  issuerUntil: "2037-01-01T00:00:00.000Z",
};
const year = "2028-03-15T09:00:00.000Z";
const three = [{ until }, { until }, { until }];
const guest = { kind: "guest" } as const;
const server = { kind: "infrastructure" } as const;

/** The owner's differences from the default, and the expected result. */
const cases: [title: string, owner: Partial<Case>, answer: Partial<Answer>][] = [
  // The limit of a user.
  ["a user without profiles", {}, { refusal: null, limit: 3, count: 0, end: year }],
  ["a user below the limit", { profiles: [{ until }, { until }] }, { refusal: null, count: 2 }],
  ["a user at the limit", { profiles: three }, { refusal: "profile_limit_reached", count: 3 }],
  ["a user above the limit", { profiles: [...three, { until }] }, { refusal: "profile_limit_reached", count: 4 }],
  ["an override of 0, which is none", { override: 0, profiles: three }, { refusal: "profile_limit_reached", limit: 3 }],
  ["a higher override", { override: 4, profiles: three }, { refusal: null, limit: 4 }],
  ["a lower override, not reached", { override: 1 }, { refusal: null, limit: 1 }],
  ["a lower override, reached", { override: 1, profiles: [{ until }] }, { refusal: "profile_limit_reached", limit: 1 }],
  ["a realm's limit of 0", { realmLimit: 0 }, { refusal: "profile_limit_reached", limit: 0 }],
  ["an override in a realm with a limit of 0", { realmLimit: 0, override: 1 }, { refusal: null, limit: 1 }],
  ["an override of the realm's own value", { override: 3, profiles: three }, { refusal: "profile_limit_reached" }],

  // Profiles that count.
  ["a revoked profile", { profiles: [{ until, revoked: true }] }, { count: 0 }],
  ["an expired profile", { profiles: [{ until: "2027-01-01T00:00:00.000Z" }] }, { count: 0 }],
  ["a profile that ends at this instant", { profiles: [{ until: at }] }, { count: 0 }],
  ["a profile that ends an instant later", { profiles: [{ until: justAfter(at) }] }, { count: 1 }],
  ["a profile that ended an instant ago", { profiles: [{ until: justBefore(at) }] }, { count: 0 }],
  ["a profile revoked and expired", { profiles: [{ until: justBefore(at), revoked: true }] }, { count: 0 }],
  ["a queued issuance", { issuances: ["queued"] }, { count: 1 }],
  ["an issuance that is being signed", { issuances: ["signing"] }, { count: 1 }],
  ["an issued one, whose profile counts instead", { issuances: ["issued"] }, { count: 0 }],
  ["a failed issuance", { issuances: ["failed"] }, { count: 0 }],
  [
    "profiles and unsettled issuances that reach the limit together",
    { profiles: [{ until }, { until }], issuances: ["signing"] },
    { refusal: "profile_limit_reached", count: 3 },
  ],
  [
    "unsettled issuances that reach the limit alone",
    { issuances: ["queued", "queued", "signing"] },
    { refusal: "profile_limit_reached", count: 3 },
  ],
  [
    "inactive profiles and settled issuances beyond the limit",
    { profiles: three.map((profile) => ({ ...profile, revoked: true })), issuances: ["issued", "failed", "issued"] },
    { refusal: null, count: 0 },
  ],

  // A profile that replaces another profile.
  ["replacing one at the limit", { replaces: true, profiles: three }, { refusal: null, count: 3 }],
  [
    "replacing one above the limit",
    { replaces: true, profiles: [...three, { until }] },
    { refusal: "profile_limit_reached", count: 4 },
  ],
  [
    "replacing one at the limit while another is being made",
    { replaces: true, profiles: three, issuances: ["queued"] },
    { refusal: "profile_limit_reached", count: 4 },
  ],
  ["replacing one at the override", { replaces: true, override: 1, profiles: [{ until }] }, { refusal: null }],
  ["replacing one when locked", { replaces: true, locked: true }, { refusal: "user_locked" }],
  [
    "replacing one at the limit without an issuer",
    { replaces: true, profiles: three, issuerUntil: null },
    { refusal: "no_issuer" },
  ],

  // The order of refusals.
  ["a locked user", { locked: true }, { refusal: "user_locked" }],
  ["an offboarded user", { offboarded: true }, { refusal: "user_offboarded" }],
  ["an offboarded and locked user", { offboarded: true, locked: true }, { refusal: "user_offboarded" }],
  ["an offboarded user at the limit", { offboarded: true, profiles: three }, { refusal: "user_offboarded" }],
  ["a locked user at the limit", { locked: true, profiles: three }, { refusal: "user_locked" }],
  ["a locked user without an issuer", { locked: true, issuerUntil: null }, { refusal: "user_locked" }],
  ["no issuer at the limit", { profiles: three, issuerUntil: null }, { refusal: "profile_limit_reached" }],
  ["no issuer", { issuerUntil: null }, { refusal: "no_issuer" }],
  [
    "an issuer that ends too soon, at the limit",
    { profiles: three, issuerUntil: at },
    { refusal: "profile_limit_reached" },
  ],
  ["an issuer that ends too soon", { issuerUntil: until }, { refusal: "issuer_expiring" }],
  ["an issuer that has ended", { issuerUntil: justBefore(at) }, { refusal: "issuer_expiring" }],

  // The end of a profile.
  ["an issuer that ends with the profile", { issuerUntil: year }, { refusal: null, end: year }],
  [
    "an issuer that ends an instant sooner",
    { issuerUntil: justBefore(year) },
    { refusal: "issuer_expiring", end: year },
  ],
  ["an issuer that ends an instant later", { issuerUntil: justAfter(year) }, { refusal: null, end: year }],
  ["31 January and a month", { at: "2027-01-31T23:59:59.999Z", months: 1 }, { end: "2027-02-28T23:59:59.999Z" }],
  [
    "31 January and a month in a leap year",
    { at: "2028-01-31T12:00:00.000Z", months: 1 },
    { end: "2028-02-29T12:00:00.000Z" },
  ],
  ["31 August and six months", { at: "2027-08-31T23:59:59.999Z", months: 6 }, { end: "2028-02-29T23:59:59.999Z" }],
  ["31 August and 18 months", { at: "2027-08-31T00:00:00.000Z", months: 18 }, { end: "2029-02-28T00:00:00.000Z" }],
  ["31 May and a month", { at: "2027-05-31T09:00:00.000Z", months: 1 }, { end: "2027-06-30T09:00:00.000Z" }],
  ["30 April and a month", { at: "2027-04-30T09:00:00.000Z", months: 1 }, { end: "2027-05-30T09:00:00.000Z" }],
  ["29 February and a year", { at: "2028-02-29T09:00:00.000Z" }, { end: "2029-02-28T09:00:00.000Z" }],
  ["29 February and four years", { at: "2028-02-29T09:00:00.000Z", months: 48 }, { end: "2032-02-29T09:00:00.000Z" }],
  ["28 February and a month", { at: "2027-02-28T09:00:00.000Z", months: 1 }, { end: "2027-03-28T09:00:00.000Z" }],
  ["31 December and two months", { at: "2027-12-31T00:00:00.000Z", months: 2 }, { end: "2028-02-29T00:00:00.000Z" }],
  ["the first hour of summer time", { at: "2027-03-28T01:30:00.000Z", months: 1 }, { end: "2027-04-28T01:30:00.000Z" }],
  [
    "31 August and six months, with an issuer that ends on 1 March",
    { at: "2027-08-31T09:00:00.000Z", months: 6, issuerUntil: "2028-03-01T00:00:00.000Z" },
    { refusal: null, end: "2028-02-29T09:00:00.000Z" },
  ],
  [
    "29 February and a year, with an issuer that ends on 1 March",
    { at: "2028-02-29T09:00:00.000Z", issuerUntil: "2029-03-01T00:00:00.000Z" },
    { refusal: null, end: "2029-02-28T09:00:00.000Z" },
  ],

  // A guest account.
  ["a guest account", guest, { refusal: null, limit: 3, count: 0, end: year }],
  ["a guest account at the limit", { ...guest, profiles: three }, { refusal: "profile_limit_reached", count: 3 }],
  ["a guest account without a limit", { ...guest, guestLimit: null, profiles: three }, { refusal: null, limit: null }],
  ["a guest account with a limit of 0", { ...guest, guestLimit: 0 }, { refusal: "profile_limit_reached", limit: 0 }],
  ["a revoked guest account", { ...guest, revoked: true }, { refusal: "guest_account_ended" }],
  ["a guest account that ends at this instant", { ...guest, expires: at }, { refusal: "guest_account_ended", end: at }],
  [
    "a guest account that ends an instant later",
    { ...guest, expires: justAfter(at) },
    { refusal: null, end: justAfter(at) },
  ],
  ["a guest account that has ended", { ...guest, expires: justBefore(at) }, { refusal: "guest_account_ended" }],
  [
    "an ended guest account at the limit",
    { ...guest, expires: at, profiles: three },
    { refusal: "guest_account_ended" },
  ],
  [
    "a revoked guest account without an issuer",
    { ...guest, revoked: true, issuerUntil: null },
    { refusal: "guest_account_ended" },
  ],
  [
    "a guest account that ends before the longest validity",
    { ...guest, expires: until },
    { refusal: null, end: until },
  ],
  ["a guest account that ends with the longest validity", { ...guest, expires: year }, { refusal: null, end: year }],
  [
    "a guest account that ends after the longest validity",
    { ...guest, expires: justAfter(year) },
    { refusal: null, end: year },
  ],
  [
    "a guest account that ends with the issuer",
    { ...guest, expires: until, issuerUntil: until },
    { refusal: null, end: until },
  ],
  [
    "a guest account that outlives the issuer",
    { ...guest, expires: justAfter(until), issuerUntil: until },
    { refusal: "issuer_expiring", end: justAfter(until) },
  ],
  ["a guest account without an issuer", { ...guest, issuerUntil: null }, { refusal: "no_issuer" }],

  // Infrastructure.
  ["a server", { ...server, months: 60 }, { refusal: null, end: "2032-03-15T09:00:00.000Z" }],
  ["a server without an issuer", { ...server, issuerUntil: null }, { refusal: "no_issuer" }],
  ["a server whose profile would outlive the issuer", { ...server, months: 120 }, { refusal: "issuer_expiring" }],
  ["a server whose profile ends with the issuer", { ...server, issuerUntil: year }, { refusal: null, end: year }],
];

const inCode = (owner: Case): Answer => {
  const now = new Date(owner.at);
  const issuing = {
    validityMonths: owner.months,
    issuerNotAfter: owner.issuerUntil === null ? null : new Date(owner.issuerUntil),
  };
  const count =
    owner.profiles.filter((profile) =>
      entitlement.isActive({ revokedAt: profile.revoked ? now : null, notAfter: new Date(profile.until) }, now),
    ).length + owner.issuances.filter(entitlement.isUnsettled).length;
  const end = (cap: Date | null) => entitlement.profileEnd({ months: owner.months, cap }, now).toISOString();
  switch (owner.kind) {
    case "user": {
      const limits = { profileOverride: owner.override, maxProfiles: owner.realmLimit };
      const refusal = entitlement.profileRefusal(
        {
          kind: "user",
          ...issuing,
          ...limits,
          count,
          offboardedAt: owner.offboarded ? now : null,
          lockedAt: owner.locked ? now : null,
        },
        now,
        { replaces: owner.replaces },
      );
      const shutOut = refusal === "user_offboarded" || refusal === "user_locked" ? refusal : null;
      return {
        limit: entitlement.limitOf(limits),
        count,
        end: end(null),
        refusal: refusal ?? null,
        shutOut,
        ended: false,
      };
    }
    case "guest": {
      const expiresAt = new Date(owner.expires);
      const revokedAt = owner.revoked ? now : null;
      const limit = owner.guestLimit;
      const refusal = entitlement.profileRefusal(
        { kind: "guest", ...issuing, limit, count, expiresAt, revokedAt },
        now,
      );
      const ended = hasEnded({ revokedAt, expiresAt }, now);
      return { limit, count, end: end(expiresAt), refusal: refusal ?? null, shutOut: null, ended };
    }
    case "infrastructure": {
      const refusal = entitlement.profileRefusal({ kind: "infrastructure", ...issuing }, now);
      return { limit: null, count, end: end(null), refusal: refusal ?? null, shutOut: null, ended: false };
    }
  }
};

const inDatabase = async (owner: Case): Promise<Answer> => {
  const now = new Date(owner.at);
  const when = (is: boolean): Sql => sql`${is ? now : null}::timestamptz`;
  const isUser = owner.kind === "user";
  const isGuest = owner.kind === "guest";
  const limit = isUser
    ? rules.limitOf(sql`u`, sql`r`)
    : isGuest
      ? sql`${owner.guestLimit}::integer`
      : sql`null::integer`;
  const count = sql`n.count`;
  const end = rules.profileEnd(sql`i`, isGuest ? sql`g` : null, now);
  const refusal = rules.profileRefusal(
    {
      ...(isUser && { offboardedAt: sql`u.offboarded_at`, lockedAt: sql`u.locked_at` }),
      ...(isGuest && { revokedAt: sql`g.revoked_at`, expiresAt: sql`g.expires_at` }),
      ...((isUser || isGuest) && { room: { count, limit: owner.replaces ? sql`${limit} + 1` : limit } }),
      issuerNotAfter: sql`s.not_after`,
      end,
    },
    now,
  );
  const rowsOf = (rows: readonly Sql[], columns: Sql, empty: Sql): Sql =>
    sql`(select * from (values ${join(rows.length === 0 ? [empty] : rows, sql`, `)}) as v (${columns})`;
  const profiles = rowsOf(
    owner.profiles.map(({ revoked, until }) => sql`(${when(revoked === true)}, ${until}::timestamptz)`),
    sql`revoked_at, not_after`,
    sql`(null::timestamptz, '-infinity'::timestamptz)`,
  );
  const issuances = rowsOf(
    owner.issuances.map((state) => sql`(${state}::text)`),
    sql`status`,
    sql`('none')`,
  );
  const shutOut = isUser ? rules.shutOutCode(sql`u`) : sql`null::text`;
  const isShutOut = isUser ? rules.isShutOut(sql`u`) : sql`false`;
  const ended = isGuest ? rules.hasEnded(sql`g`, now) : sql`false`;
  const [answer] = await database.owner.query<Answer & { isShutOut: boolean }>(sql`
    select ${shutOut} as "shutOut", ${isShutOut} as "isShutOut", ${ended} as ended,
           ${limit} as "limit", ${count} as count, ${refusal} as refusal,
           to_char(${end}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "end"
      from (select ${owner.override}::integer as profile_override, ${when(owner.offboarded)} as offboarded_at,
                   ${when(owner.locked)} as locked_at) as u
     cross join (select ${owner.realmLimit}::integer as max_profiles) as r
     cross join (select ${when(owner.revoked)} as revoked_at, ${owner.expires}::timestamptz as expires_at) as g
     cross join (select ${owner.months}::integer as validity_months) as i
     cross join (select ${owner.issuerUntil}::timestamptz as not_after) as s
     cross join (select (select count(*) from ${profiles}) as c where ${rules.isActive(sql`c`, now)})::integer
                        + (select count(*) from ${issuances}) as i where ${rules.isUnsettled(sql`i`)})::integer as count) as n
  `);
  if (answer === undefined) throw new Error("the database answered nothing");
  const { isShutOut: is, ...rest } = answer;
  expect(is).toBe(rest.shutOut !== null);
  return rest;
};

/** The longest validity of users' profiles that a realm can set. */
const validMonthsMax = 24;

/** Returns why the user is refused when several requests are accepted together. */
async function whenAccepting(owner: Case): Promise<string | null> {
  const db = database.owner;
  const now = new Date(owner.at);
  const realmId = await given.realm({ maxProfiles: owner.realmLimit });
  await db.query(sql`update realms set max_valid_months = ${owner.months} where id = ${realmId}`);
  const user = await given.user({
    realmId,
    profileOverride: owner.override,
    lockedAt: owner.locked ? now : null,
    offboardedAt: owner.offboarded ? now : null,
  });
  for (const { until: end, revoked = false } of owner.profiles) {
    const serialNumber = await given.profile(user, { createdAt: new Date(0), notAfter: new Date(end) });
    if (revoked) {
      await db.query(sql`
        update certificates set revoked_at = ${now}, revocation_reason = 0 where serial_number = ${serialNumber}
      `);
    }
  }
  for (const state of owner.issuances) {
    const id = await givenIssuance(db, { realmId, userId: user.id });
    const isClaimed = state === "signing" || state === "issued";
    await db.query(sql`
      update issuances
         set status = ${state}, serial_number = ${isClaimed ? "1" : null}, identity = ${isClaimed ? "a" : null},
             claim_id = ${isClaimed ? id : null}, lease_expires_at = ${isClaimed ? now : null}::timestamptz,
             issuer_id = (select id from issuers where realm_id = ${realmId}),
             finished_at = ${state === "issued" || state === "failed" ? now : null}::timestamptz,
             error_code = ${state === "failed" ? "issuance_failed" : null}
       where id = ${id}
    `);
  }
  await (owner.issuerUntil === null
    ? db.query(sql`update issuers set issuing = false where realm_id = ${realmId}`)
    : db.query(sql`
        update issuers set not_before = ${new Date(0)}, not_after = ${new Date(owner.issuerUntil)} where realm_id = ${realmId}
      `));

  const request = {
    name: "laptop",
    deviceType: "Linux",
    format: "pem",
    allowAuth: false,
    actor: operatorActor,
  } as const;
  const [refusal = null] = await acceptance.acceptTogether(db, [
    { ...request, id: randomUUID(), realmId, userId: user.id, at: now, requestId: randomUUID() },
  ]);
  return refusal;
}

describe("code and database agree on", () => {
  test.each(cases)("%s", async (_, owner, answer) => {
    const full = { ...usual, ...owner };

    expect(inCode(full)).toMatchObject(answer);
    expect(await inDatabase(full)).toEqual(inCode(full));
    if (full.kind === "user" && !full.replaces && full.months <= validMonthsMax)
      expect(await whenAccepting(full)).toBe(inCode(full).refusal);
  });

  test.each([
    { radiusCn: null, domain: "demo.example", name: "radius.demo.example" },
    { radiusCn: "eduroam.demo.example", domain: "demo.example", name: "eduroam.demo.example" },
    { radiusCn: "", domain: "demo.example", name: "" },
  ])("the RADIUS server's name is $name", async ({ name, ...realm }) => {
    const rows = await database.owner.query(sql`
      select ${rules.radiusServerName(sql`r`)} as name
        from (select ${realm.radiusCn}::text as radius_cn, ${realm.domain}::text as domain) as r
    `);

    expect(entitlement.radiusServerName(realm)).toBe(name);
    expect(rows).toEqual([{ name }]);
  });

  test("months added to every day of five years", async () => {
    const rows = await database.owner.query<{ from: Date; months: number; to: Date }>(sql`
      select day as "from", months, day + make_interval(months => months) as "to"
        from generate_series(timestamptz '2027-01-01 12:34:56.789Z', '2031-12-31 23:59:59Z', interval '1 day') as days (day),
             unnest(array[1, 2, 3, 5, 6, 11, 12, 13, 18, 24, 47, 48, 60, 120]) as lengths (months)
    `);
    const wrong = rows.filter(
      ({ from, months, to }) => entitlement.profileEnd({ months }, from).getTime() !== to.getTime(),
    );

    expect(rows).toHaveLength(1826 * 14);
    expect(wrong).toEqual([]);
  });
});

test("the database and the code accept the same DNS names of hosts", async () => {
  const names = [...dnsNames, ...notDnsNames];
  const rows = await database.owner.query<{ name: string; isOne: boolean }>(sql`
    select name, ${rules.isDnsName(sql`name`)} as "isOne"
      from unnest(${names}::text[]) with ordinality as given (name, place) order by place
  `);
  expect(rows).toEqual(names.map((name) => ({ name, isOne: isDnsName(name) })));
  expect(rows.filter(({ isOne }) => isOne).map(({ name }) => name)).toEqual(dnsNames);
});
