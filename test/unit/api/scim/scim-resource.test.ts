import { expect, test } from "vitest";
import { namesIn, readResource } from "../../../../api/scim/resource.ts";
import { ScimError } from "../../../../api/scim/scim-error.ts";

const urn = "urn:ietf:params:scim:schemas:core:2.0:User";
const changeOf = (body: unknown): unknown => readResource(body, new Map()).change;

test.each([
  [{}, {}],
  [{ schemas: [urn], id: "7", password: "x", groups: [], roles: [{ value: "admin", primary: "True" }] }, {}],
  [
    { userName: "ada", externalId: "7", active: true },
    { userName: "ada", externalId: "7", active: true },
  ],
  [
    { USERNAME: "ada", Active: "False" },
    { userName: "ada", active: false },
  ],
  [
    { externalId: null, displayName: null, emails: [] },
    { externalId: null, displayName: null, email: null },
  ],
  [{ displayName: "Ada", name: { formatted: "Countess" } }, { displayName: "Ada" }],
  [{ name: { formatted: "Countess", givenName: "Ada" } }, { displayName: "Countess" }],
  [{ name: { givenName: "Ada", familyName: "Lovelace" } }, { displayName: "Ada Lovelace" }],
  [{ name: { familyName: "Lovelace" } }, { displayName: "Lovelace" }],
  [{ displayName: "x".repeat(201), name: { givenName: "Ada" } }, { displayName: "Ada" }],
  [
    { emails: [{ value: "a@example.org" }, { value: "b@example.org", type: "home", primary: true }] },
    { email: { value: "b@example.org", type: "home", primary: true } },
  ],
  [
    {
      emails: [
        { value: "a@example.org", type: "home" },
        { value: "b@example.org", type: "work" },
      ],
    },
    { email: { value: "b@example.org", type: "work", primary: true } },
  ],
  [
    { emails: [{ value: "a@example.org", type: "home", primary: "False" }] },
    { email: { value: "a@example.org", type: "home", primary: false } },
  ],
  [{ emails: [{ value: "no address", primary: true }] }, {}],
])("%j is read as %j", (body, change) => {
  expect(changeOf(body)).toEqual(change);
});

test.each([
  [null, "invalidSyntax"],
  [[], "invalidSyntax"],
  [{ active: null }, "invalidValue"],
  [{ active: "no" }, "invalidValue"],
  [{ active: true, ACTIVE: true }, "invalidSyntax"],
  [{ [urn]: { active: false }, active: true }, "invalidSyntax"],
  [{ "urn:example:2.0:User": { active: false } }, "invalidPath"],
])("%j is refused as %s", (body, fault) => {
  expect(() => readResource(body, new Map())).toThrow(
    expect.objectContaining({ name: "ServiceError", fault }) as ScimError,
  );
});

test("requested attributes are read without their schema URN and sub-attribute", () => {
  expect([...namesIn([`userName,${urn}:emails.value`, " name.formatted ,"])]).toEqual(["username", "emails", "name"]);
});
