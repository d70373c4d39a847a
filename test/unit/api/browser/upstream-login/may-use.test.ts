import { expect, test } from "vitest";
import { verdictOf, type Claims } from "../../../../../api/browser/upstream-login/claim-rules.ts";
import { personOf, withUserinfo } from "../../../../../api/browser/upstream-login/claims-to-user.ts";
import type { UpstreamClaims } from "../../../../../domain/people/upstream-claims.ts";

const person = { sub: "s", email: "e@example.org", name: "N" };
const groups = { claim: "groups", value: "wifi" };
const unit = { claim: "unit", value: "it" };

/** A group overage as Entra sends it: the groups have to be fetched from another address. */
const overage = { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example" } } };

test.each<[string, Claims, boolean | "withheld"]>([
  ["the value", { groups: "wifi" }, true],
  ["the value among others", { groups: ["x", "wifi"] }, true],
  ["another value", { groups: ["wifi "] }, false],
  ["an empty list", { groups: [] }, false],
  ["nothing", {}, false],
  ["null", { groups: null }, false],
  ["no groups, and groups elsewhere", overage, "withheld"],
  ["an empty text, and groups elsewhere", { groups: "", ...overage }, "withheld"],
  ["an empty list, and groups elsewhere", { groups: [], ...overage }, false],
  ["other groups, and groups elsewhere", { groups: ["x"], ...overage }, false],
  ["the value, and groups elsewhere", { groups: ["wifi"], ...overage }, true],
  ["another claim elsewhere", { _claim_names: { roles: "src1" } }, false],
  ["hasgroups", { hasgroups: true }, "withheld"],
  ["hasgroups as a text", { hasgroups: "true" }, "withheld"],
  ["hasgroups that is false", { hasgroups: false }, false],
  ["hasgroups beside an empty list", { hasgroups: true, groups: [] }, false],
  ["names that are none", { _claim_names: "groups" }, false],
  ["names that are null", { _claim_names: null }, false],
  ["names that an object inherits", { _claim_names: Object.create({ groups: "src1" }) as unknown }, false],
])("%s: the rule on groups has the expected verdict", (_, claims, verdict) => {
  expect(verdictOf(claims, [groups])).toBe(verdict);
});

test("one matching rule is enough, and a withheld claim matters only if no rule matches", () => {
  expect(verdictOf({ unit: "it", ...overage }, [groups, unit])).toBe(true);
  expect(verdictOf({ unit: "x", ...overage }, [groups, unit])).toBe("withheld");
  expect(verdictOf(overage, [unit])).toBe(false);
  expect(verdictOf({ hasgroups: true }, [unit])).toBe(false);
  expect(verdictOf({ groups: "wifi" }, [])).toBe(false);
});

test("a claim that is neither a text nor a list of texts is an error, even if another rule matches", () => {
  expect(() => verdictOf({ groups: { a: 1 }, unit: "it" }, [unit, groups])).toThrow(
    expect.objectContaining({ problem: "upstream_bad_answer" }) as Error,
  );
});

test.each<[string, UpstreamClaims, Claims, boolean]>([
  ["no rules", {}, {}, true],
  ["an empty list of rules", { mayUse: [] }, {}, true],
  ["a rule that is met", { mayUse: [groups] }, { groups: "wifi" }, true],
  ["a rule that is not", { mayUse: [groups] }, { groups: "x" }, false],
  ["a rule that is met beside one that is withheld", { mayUse: [groups, unit] }, { unit: "it", ...overage }, true],
])("%s: the rules decide whether the person is allowed to use the realm", (_, names, claims, permitted) => {
  expect(personOf({ ...person, ...claims }, names)).toMatchObject({ permitted });
});

test("a withheld claim does not decide who is allowed to use the realm", () => {
  expect(() => personOf({ ...person, ...overage }, { mayUse: [groups] })).toThrow(
    expect.objectContaining({ problem: "upstream_bad_answer" }) as Error,
  );
});

test("a role that depends on a withheld claim counts as withheld if no other rule gives the role", () => {
  const names: UpstreamClaims = { administrator: groups, roles: { help_desk: [groups, unit], auditor: [unit] } };
  expect(personOf({ ...person, ...overage, unit: "it" }, names)).toMatchObject({
    mappedRoles: ["administrator", "help_desk", "auditor"],
    roles: ["help_desk", "auditor"],
    withheldRoles: ["administrator"],
  });
  expect(personOf({ ...person, groups: [] }, names)).toMatchObject({ roles: [], withheldRoles: [] });
});

test("the id token and userinfo can each refer to a claim elsewhere, and each can contain the claim", () => {
  expect(verdictOf(withUserinfo(overage, {}), [groups])).toBe("withheld");
  expect(verdictOf(withUserinfo({}, overage), [groups])).toBe("withheld");
  expect(verdictOf(withUserinfo({ _claim_names: { x: "a" } }, overage), [groups])).toBe("withheld");
  expect(verdictOf(withUserinfo(overage, { groups: ["wifi"] }), [groups])).toBe(true);
  expect(verdictOf(withUserinfo({ groups: [] }, overage), [groups])).toBe(false);
});

const staff = { ...unit, vlan: "30" };
const inGroup = { ...groups, vlan: "40" };
test.each<[string, Claims, string | null | undefined]>([
  ["the first rule that fits", { unit: "it", groups: [groups.value] }, "30"],
  ["another rule", { groups: [groups.value] }, "40"],
  ["no rule", { groups: [] }, null],
  ["a rule before one that is withheld", { unit: "it", ...overage }, "30"],
  ["a rule that is withheld, so nothing changes", overage, undefined],
])("the person gets the VLAN of %s", (_, claims, vlan) => {
  expect(personOf({ ...person, ...claims }, { vlanRules: [staff, inGroup] }).vlan).toBe(vlan);
});
