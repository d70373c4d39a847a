import { describe, expect, test } from "vitest";
import {
  diagnose,
  diagnosePerson,
  diagnosisCodes,
  diagnosisText,
  noteText,
  personNotes,
  type ActedBy,
  type ProfileFacts,
} from "../../../domain/certificate/diagnosis.ts";

const at = new Date("2026-11-20T12:00:00Z");
const before = (hours: number): Date => new Date(at.getTime() - hours * 3_600_000);
const owner: ActedBy = { kind: "owner", name: "Ada Lovelace" };
const becker: ActedBy = { kind: "person", name: "A. Becker" };

/** An active profile that was fetched but never checked, in a realm where others were checked. */
const facts: ProfileFacts = {
  serial: "4711",
  issuedAt: before(400),
  notAfter: before(-1000),
  revocation: null,
  replacedBy: null,
  lastCheckAt: null,
  delivery: "fetched",
  realmCheckedAt: before(1),
  listEndsAt: before(-24),
  offboarding: null,
};
const revocation = { at: before(10), reason: 1, by: owner } as const;
const offboarding = { at: before(300), by: becker, revokeAt: null, isHeld: false, activeCount: 0 };

const cases: [what: string, changed: Partial<ProfileFacts>, code: string, text: string][] = [
  [
    "of an offboarded person",
    { offboarding, revocation, lastCheckAt: before(1) },
    "offboarded",
    "Access ended on 8 Nov 2026 at 00:00 UTC by A. Becker; all profiles were revoked.",
  ],
  [
    "of a person whose profiles are being revoked",
    { offboarding: { ...offboarding, activeCount: 2 } },
    "offboarded",
    "Access ended on 8 Nov 2026 at 00:00 UTC by A. Becker; 2 profiles are not revoked yet.",
  ],
  [
    "of an offboarded person in grace: the certificate decides",
    { offboarding: { ...offboarding, revokeAt: before(-24), activeCount: 1 }, lastCheckAt: before(1) },
    "good",
    "The certificate was good on 20 Nov 2026 at 11:00 UTC.",
  ],
  [
    "that was renewed and revoked",
    { revocation, replacedBy: { serial: "99997731", at: before(48) }, lastCheckAt: before(1) },
    "replaced",
    "This profile was renewed on 18 Nov 2026 at 12:00 UTC; the new one is …7731.",
  ],
  [
    "that was renewed and is active: the certificate decides",
    { replacedBy: { serial: "99997731", at: before(48) }, lastCheckAt: before(1) },
    "good",
    "The certificate was good on 20 Nov 2026 at 11:00 UTC.",
  ],
  [
    "revoked, asked about since",
    { revocation, lastCheckAt: before(2) },
    "revoked_tried",
    "Revoked by the owner on 20 Nov 2026 at 02:00 UTC; the device tried on 20 Nov 2026 at 10:00 UTC and was refused.",
  ],
  [
    "revoked at the instant of the check",
    { revocation, lastCheckAt: revocation.at },
    "revoked_tried",
    "Revoked by the owner on 20 Nov 2026 at 02:00 UTC; the device tried on 20 Nov 2026 at 02:00 UTC and was refused.",
  ],
  [
    "revoked, asked about before",
    { revocation, lastCheckAt: before(11) },
    "revoked",
    "Revoked by the owner on 20 Nov 2026 at 02:00 UTC, reason: device or key in the wrong hands. No attempt seen since.",
  ],
  [
    "revoked by nobody knows whom",
    { revocation: { ...revocation, reason: 0, by: null } },
    "revoked",
    "Revoked on 20 Nov 2026 at 02:00 UTC, reason: none given. No attempt seen since.",
  ],
  [
    "revoked and ended: revoked",
    { revocation: { ...revocation, reason: 4, by: { kind: "service", name: null } }, notAfter: before(1) },
    "revoked",
    "Revoked by the service itself on 20 Nov 2026 at 02:00 UTC, reason: replaced by another profile. No attempt seen since.",
  ],
  [
    "that ended, although it was good lately",
    { notAfter: at, lastCheckAt: before(1) },
    "expired",
    "Valid until 20 Nov 2026 at 12:00 UTC. Renewal works only before the end.",
  ],
  [
    "whose issuer's list has ended",
    { listEndsAt: at, lastCheckAt: before(1) },
    "list_ended",
    "The revocation list ended on 20 Nov 2026 at 12:00 UTC: RADIUS servers that use it refuse everybody.",
  ],
  [
    "whose file nobody fetched",
    { delivery: "not_fetched", realmCheckedAt: null },
    "not_fetched",
    "The file was created on 3 Nov 2026 at 20:00 UTC and never downloaded.",
  ],
  [
    "whose file nobody fetched, but that was asked about: it is there",
    { delivery: "not_fetched", lastCheckAt: before(1) },
    "good",
    "The certificate was good on 20 Nov 2026 at 11:00 UTC.",
  ],
  [
    "in a realm where nobody has ever asked",
    { realmCheckedAt: null },
    "nobody_asks",
    "No RADIUS server is known to have asked this service.",
  ],
  [
    "in a realm where nobody has asked for more than a day",
    { realmCheckedAt: before(25), delivery: "unknown" },
    "nobody_asks",
    "No RADIUS server is known to have asked this service since 19 Nov 2026 at 11:00 UTC.",
  ],
  [
    "that was never asked about",
    {},
    "never_asked",
    "No RADIUS server has asked about this profile since it was created on 3 Nov 2026 at 20:00 UTC.",
  ],
  [
    "last asked about more than a day ago, whatever others do",
    { lastCheckAt: before(25), realmCheckedAt: null },
    "silent",
    "The last good check was on 19 Nov 2026 at 11:00 UTC; none seen since.",
  ],
  [
    "asked about a day ago",
    { lastCheckAt: before(24), listEndsAt: null },
    "good",
    "The certificate was good on 19 Nov 2026 at 12:00 UTC.",
  ],
];

test.each(cases)("a profile %s", (_, changed, code, text) => {
  const diagnosis = diagnose({ ...facts, ...changed }, at);
  expect({ code: diagnosis.code, text: diagnosisText(diagnosis) }).toEqual({ code, text });
  expect(diagnosis.serial).toBe("4711");
});

describe("a person", () => {
  const good = { issuedAt: before(400), diagnosis: diagnose({ ...facts, lastCheckAt: before(1) }, at) };
  const failure = { at: before(2), error: "profile_limit_reached" };

  test.each([
    ["who is offboarded", { offboarding, failure, newest: good }, "offboarded", ["reactivate", "set_up_anew"]],
    [
      "in grace",
      { offboarding: { ...offboarding, revokeAt: at }, failure: null, newest: good },
      "good",
      ["give_identity"],
    ],
    [
      "whose last profile could not be made",
      { offboarding: null, failure, newest: good },
      "issuance_failed",
      ["raise_limit"],
    ],
    [
      "who got a profile after one could not be made",
      { offboarding: null, failure: { ...failure, at: before(401) }, newest: good },
      "good",
      ["give_identity"],
    ],
    ["without a profile", { offboarding: null, failure: null, newest: null }, "no_profile", ["set_up_anew"]],
  ])("%s", (_, person, code, next) => {
    expect(diagnosePerson(person)).toMatchObject({ code, next });
  });

  test.each([
    ["user_locked", "unlock"],
    ["no_issuer", "call_operator"],
    ["issuance_failed", "set_up_anew"],
  ])("whose profile failed with %s gets the next step %s", (error, step) => {
    expect(diagnosePerson({ offboarding: null, failure: { at, error }, newest: null }).next).toEqual([step]);
  });
});

test("no sentence claims that a device did not try to connect, or that a device is online", () => {
  const texts = [
    ...cases.map(([, changed]) => diagnosisText(diagnose({ ...facts, ...changed }, at))),
    ...diagnosisCodes.map((code) => diagnosisText({ code, detail: { at } })),
    ...personNotes.map((note) => noteText(note, { until: at })),
  ];
  for (const text of texts)
    expect(text).not.toMatch(/did not try|has not tried|\bonline\b|\bconnected\b|undefined|NaN/);
});
