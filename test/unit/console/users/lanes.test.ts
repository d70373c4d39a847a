import { expect, test } from "vitest";
import { endOf, firstOf, laneOf } from "../../../../console/pages/users/profiles/lanes.ts";

const begin = Date.parse("2027-03-01T08:00:00.000Z");
const at = (hours: number) => new Date(begin + hours * 3_600_000).toISOString();
const span = { from: new Date(begin), to: new Date(at(100)) };
const life = {
  issuedAt: at(10),
  expiresAt: at(9_000),
  state: "active" as const,
  firstCheckAt: null,
  firstRefusedAt: null,
  lastCheck: null,
  revocation: null,
};
const revocation = { at: at(60), reason: 0 as const, how: null, by: null, auditID: null };

test("a lane extends from a profile's creation to the present, with the first and the last check above it", () => {
  const checked = { ...life, firstCheckAt: at(20), lastCheck: { at: at(90), result: "good" as const } };
  expect(laneOf(checked, span)).toEqual({ from: 0.1, to: 1, isEnded: false, up: [0.2, 0.9], down: [] });
  expect(laneOf({ ...checked, firstCheckAt: at(90) }, span).up).toEqual([0.9]);
  expect(laneOf(life, span)).toMatchObject({ up: [], down: [] });
});

test("the lane of a revoked profile ends with the revocation, and its refusals are below it", () => {
  const refused = { at: at(80), result: "revoked" as const };
  const revoked = { ...life, state: "revoked" as const, revocation, firstCheckAt: at(20), lastCheck: refused };
  expect(laneOf({ ...revoked, firstRefusedAt: at(70) }, span)).toEqual({
    from: 0.1,
    to: 0.6,
    isEnded: true,
    up: [0.2],
    down: [0.7, 0.8],
  });
  expect(laneOf({ ...revoked, firstCheckAt: at(80), firstRefusedAt: at(80) }, span)).toMatchObject({
    up: [],
    down: [0.8],
  });
});

test("the lane of an expired profile ends when it expired", () => {
  const expired = { ...life, state: "expired" as const, expiresAt: at(50) };
  expect(endOf(expired)).toBe(at(50));
  expect(laneOf(expired, span)).toMatchObject({ to: 0.5, isEnded: true });
});

test("lanes begin with the first profile, and stay inside the picture when clocks differ", () => {
  expect(firstOf([life, { ...life, issuedAt: at(3) }])).toBe(at(3));
  expect(firstOf([])).toBeUndefined();
  const now = new Date(at(10));
  expect(laneOf({ ...life, lastCheck: { at: at(11), result: "good" } }, { from: now, to: now })).toEqual({
    from: 0,
    to: 1,
    isEnded: false,
    up: [1],
    down: [],
  });
});
