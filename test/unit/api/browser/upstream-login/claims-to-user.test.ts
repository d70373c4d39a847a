import { expect, test } from "vitest";
import type { Claims } from "../../../../../api/browser/upstream-login/claim-rules.ts";
import {
  hasBadAddress,
  lacksClaims,
  namesOf,
  personOf,
  withUserinfo,
} from "../../../../../api/browser/upstream-login/claims-to-user.ts";
import type { UpstreamClaims } from "../../../../../domain/people/upstream-claims.ts";

const claims = { sub: "s", pairwise_id: "p", email: "e@example.org", name: "N" };

test("the usual claims make a person without roles from the provider", () => {
  expect(personOf(claims, {})).toEqual({
    subject: "s",
    pairwiseId: "p",
    email: "e@example.org",
    displayName: "N",
    permitted: true,
    mappedRoles: [],
    roles: [],
    withheldRoles: [],
    vlan: null,
  });
});

test.each<[string, Claims]>([
  ["missing", { sub: "s" }],
  ["null", { sub: "s", pairwise_id: null, email: null, name: null }],
  ["empty", { sub: "s", pairwise_id: "", email: "", name: "" }],
])("claims that are %s are ignored, and the subject becomes the pairwise id", (_, given) => {
  expect(personOf(given, {})).toMatchObject({ pairwiseId: "s", email: undefined, displayName: undefined });
});

test.each([
  ["\u200bMia\u00ad\ufeff", "Mia"],
  ["Mi\u200ba", "Mi\u200ba"],
  ["\u200b\u202e", undefined],
])(
  "the name %j is kept as %j: invisible characters are removed at both ends, and no name makes the sign-in fail",
  (name, kept) => {
    expect(personOf({ ...claims, name }, {})).toMatchObject({ pairwiseId: "p", displayName: kept });
  },
);

test.each(["not-an-email", "Mia <mia@x.example>", "mia@x.example, ida@x.example", "mia@localhost"])(
  "%s is not an e-mail address, so the address is dropped and the person is still identified",
  (email) => {
    expect(personOf({ ...claims, email }, {})).toMatchObject({ pairwiseId: "p", email: undefined });
    expect(hasBadAddress({ ...claims, email }, {})).toBe(true);
    expect(hasBadAddress(claims, {})).toBe(false);
  },
);

test.each<[string, unknown, boolean]>([
  ["the value", "admin", true],
  ["another value", "user", false],
  ["the value in other case", "Admin", false],
  ["a text that contains the value", "not admin", false],
  ["a list with the value", ["user", "admin"], true],
  ["a list without it", ["user"], false],
  ["an empty list", [], false],
  ["an empty text", "", false],
  ["null", null, false],
  ["nothing", undefined, false],
])("%s: administrator is recognized", (_, role, administrator) => {
  const names: UpstreamClaims = { administrator: { claim: "role", value: "admin" } };
  expect(personOf({ ...claims, role }, names)).toMatchObject({
    mappedRoles: ["administrator"],
    roles: administrator ? ["administrator"] : [],
  });
});

test("a person gets a role if any of its rules matches, and each rule can name a different claim", () => {
  const names: UpstreamClaims = {
    administrator: { claim: "groups", value: "wifi-admins" },
    roles: {
      help_desk: [
        { claim: "groups", value: "it-support" },
        { claim: "unit", value: "it" },
      ],
      auditor: [{ claim: "groups", value: "audit" }],
    },
  };
  const rolesOf = (given: Claims) => personOf({ ...claims, ...given }, names).roles;
  expect(rolesOf({})).toEqual([]);
  expect(rolesOf({ groups: ["it-support", "wifi-admins"] })).toEqual(["administrator", "help_desk"]);
  expect(rolesOf({ unit: "it" })).toEqual(["help_desk"]);
  expect(rolesOf({ unit: "it-support", groups: "audit" })).toEqual(["auditor"]);
  expect(personOf(claims, names).mappedRoles).toEqual(["administrator", "help_desk", "auditor"]);
  expect(() => rolesOf({ groups: "it-support", unit: { it: true } })).toThrow(
    expect.objectContaining({ problem: "upstream_bad_answer" }) as Error,
  );
});

test.each<[string, Claims, UpstreamClaims]>([
  ["no subject", { ...claims, sub: undefined }, {}],
  ["an empty subject", { ...claims, sub: "" }, {}],
  ["a lone surrogate", { ...claims, name: "\ud800" }, {}],
  ["NUL", { ...claims, email: "a\0" }, {}],
  ["a role that is true", { ...claims, role: true }, { administrator: { claim: "role", value: "true" } }],
  ["a role in a list in a list", { ...claims, role: [["a"]] }, { administrator: { claim: "role", value: "a" } }],
])("%s is an error of the provider", (_, given, names) => {
  expect(() => personOf(given, names)).toThrow(expect.objectContaining({ problem: "upstream_bad_answer" }) as Error);
});

test("if the claim that the realm names for the pairwise id is missing, the sign-in fails with upstream_no_identifier", () => {
  expect(() => personOf({ ...claims, "a b": 1 }, { pairwiseId: "unique" })).toThrow(
    expect.objectContaining({
      problem: "upstream_no_identifier",
      message: "the pairwise id is missing; the claims are sub, pairwise_id, email, name",
    }) as Error,
  );
});

test("the log contains at most 40 names of claims, and no values", () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`claim${index}`, `value${index}`]));
  expect(namesOf(many)).toEqual(Object.keys(many).slice(0, 40));
  expect(namesOf({ "a\nb": 1, "a=b": 1, ["x".repeat(201)]: 1, sub: "s" })).toEqual(["sub"]);
});

test("inherited properties are not claims", () => {
  const names = { email: "constructor", displayName: "__proto__", pairwiseId: "toString" };
  expect(() => personOf(claims, names)).toThrow("the pairwise id is missing");
  expect(lacksClaims({ toString: "p", constructor: "e" }, names)).toBe(true);
});

test("userinfo adds claims that the id token lacks, but overrides no claim of the id token", () => {
  const userinfo = JSON.parse('{"sub":"x","email":"u","name":"U","__proto__":{"role":"admin"}}') as Claims;
  const both = withUserinfo({ sub: "s", email: "", name: "N" }, userinfo);
  expect(both).toMatchObject({ sub: "s", email: "u", name: "N" });
  expect(both["role"]).toBeUndefined();
});

test.each<[Claims, UpstreamClaims, boolean]>([
  [claims, {}, false],
  [{ ...claims, pairwise_id: undefined }, {}, true],
  [claims, { email: "mail" }, true],
  [claims, { administrator: { claim: "role", value: "x" } }, true],
  [claims, { mayUse: [{ claim: "role", value: "x" }] }, true],
  [{ ...claims, role: [] }, { mayUse: [{ claim: "role", value: "x" }] }, false],
])("%j under %j: claims are missing: %j", (given, names, lacking) => {
  expect(lacksClaims(given, names)).toBe(lacking);
});
