import { describe, expect, test } from "vitest";
import { readPatch } from "../../../../api/scim/patch.ts";
import { ScimError } from "../../../../api/scim/scim-error.ts";

const urn = "urn:ietf:params:scim:schemas:core:2.0:User";

const patchOf = (...operations: unknown[]): unknown => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: operations,
});
const changeBy = (...operations: unknown[]): unknown => readPatch(patchOf(...operations), new Map()).change;

/** Returns the fault with which a request is refused; undefined if it is accepted. */
function faultOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof ScimError) return error.fault;
    throw error;
  }
  return undefined;
}

describe("a deactivation", () => {
  const forms: readonly unknown[] = [
    { op: "replace", path: "active", value: false },
    { op: "Replace", path: "active", value: "False" },
    { op: "REPLACE", path: "Active", value: "false" },
    { op: "add", path: "active", value: "FALSE" },
    { op: "replace", path: `${urn}:active`, value: false },
    { op: "replace", path: `${urn.toUpperCase()}:ACTIVE`, value: "False" },
    { op: "replace", path: "active", value: [false] },
    { op: "replace", path: "active", value: ["False"] },
    { op: "replace", path: "active", value: [{ value: "False" }] },
    { op: "replace", path: "active", value: [{ $ref: null, value: "False" }] },
    { op: "replace", value: { active: false } },
    { op: "replace", path: null, value: { active: "False" } },
    { op: "replace", path: "", value: { Active: false } },
    { op: "replace", value: { [`${urn}:active`]: "False" } },
    { op: "replace", value: { [urn]: { active: false } } },
    { op: "replace", path: urn, value: { active: "False" } },
    { OP: "replace", Path: "active", VALUE: false },
  ];

  test.each(forms.map((form) => [JSON.stringify(form), form]))("%s is understood", (_, form) => {
    expect(changeBy(form)).toEqual({ active: false });
  });

  const notUnderstood: readonly (readonly [unknown, string])[] = [
    [{ op: "replace", path: "active", value: "0" }, "invalidValue"],
    [{ op: "replace", path: "active", value: 1 }, "invalidValue"],
    [{ op: "replace", path: "active", value: null }, "invalidValue"],
    [{ op: "replace", path: "active" }, "invalidValue"],
    [{ op: "replace", path: "active", value: [] }, "invalidValue"],
    [{ op: "replace", path: "active", value: [false, true] }, "invalidValue"],
    [{ op: "replace", path: "active", value: { value: false } }, "invalidValue"],
    [{ op: "replace", path: "active.value", value: false }, "invalidPath"],
    [{ op: "replace", path: "active[value eq true]", value: false }, "invalidPath"],
    [{ op: "replace", path: " active", value: false }, "invalidPath"],
    [{ op: "replace", path: "/active", value: false }, "invalidPath"],
    [{ op: "replace", path: ["active"], value: false }, "invalidPath"],
    [{ op: "replace", path: "urn:example:2.0:User:active", value: false }, "invalidPath"],
    [{ op: "replace", value: { "urn:example:2.0:User": { active: false } } }, "invalidPath"],
    [{ op: "replace", value: { name: { active: false } } }, "invalidPath"],
    [{ op: "replace", path: "urn:example:2.0:User", value: { active: false } }, "invalidPath"],
    [{ op: "replace", value: { active: false, Active: true } }, "invalidSyntax"],
    [{ op: "replace", value: { [urn]: { active: false }, active: true } }, "invalidSyntax"],
    [{ op: "replace", value: { active: true, [`${urn}:active`]: false } }, "invalidSyntax"],
    [{ op: "replace", value: { "": { active: false }, active: true } }, "invalidSyntax"],
    [{ op: "replace", path: "active", value: [{ value: "True", Value: "False" }] }, "invalidSyntax"],
    [{ op: "replace", path: "nickName", Path: "active", value: false }, "invalidSyntax"],
    [{ op: "replace", path: "active", value: true, Value: false }, "invalidSyntax"],
    [{ op: "delete", path: "active" }, "invalidSyntax"],
    [{ op: "replace", value: "active" }, "invalidSyntax"],
    ["replace", "invalidSyntax"],
    [{ op: "remove" }, "noTarget"],
  ];

  test.each(notUnderstood.map(([form, fault]) => [JSON.stringify(form), form, fault]))(
    "%s is refused",
    (_, form, fault) => {
      expect(faultOf(() => changeBy(form))).toBe(fault);
      // A request that also has a valid operation is refused: either all operations are done or none.
      expect(faultOf(() => changeBy({ op: "replace", path: "active", value: false }, form))).toBe(fault);
    },
  );

  test("a request with two lists of operations is refused", () => {
    const operations = [{ op: "replace", path: "active", value: false }];
    expect(faultOf(() => readPatch({ operations: [], Operations: operations }, new Map()))).toBe("invalidSyntax");
    expect(readPatch({ operations }, new Map()).change).toEqual({ active: false });
  });

  test.each(["inactive", "isActive", "activeDirectoryId", "nickName", "roles", "urn:example:2.0:User:department"])(
    "%s is another attribute, so the operation is accepted and dropped",
    (path) => {
      expect(changeBy({ op: "replace", path, value: false })).toEqual({});
    },
  );
});

describe("other attributes", () => {
  test.each([
    [{ op: "replace", path: "displayName", value: "Ada" }, { displayName: "Ada" }],
    [{ op: "remove", path: "displayName" }, { displayName: null }],
    [{ op: "replace", path: "userName", value: "ada@example.org" }, { userName: "ada@example.org" }],
    [{ op: "add", path: "externalId", value: "7" }, { externalId: "7" }],
    [{ op: "remove", path: "externalId" }, { externalId: null }],
    [{ op: "replace", path: "name.givenName", value: "Ada" }, {}],
    [{ op: "replace", value: { name: { formatted: "Ada Lovelace" }, displayName: "Ada" } }, { displayName: "Ada" }],
    [
      { op: "replace", path: 'emails[type eq "work"].value', value: "a@example.org" },
      { email: { value: "a@example.org", type: "work" } },
    ],
    [
      { op: "add", path: 'emails[type eq "work"]', value: { value: "a@example.org", primary: true } },
      { email: { value: "a@example.org", type: "work", primary: true } },
    ],
    [
      { op: "replace", path: "emails[primary eq true].value", value: "a@example.org" },
      { email: { value: "a@example.org", primary: true } },
    ],
    [{ op: "replace", path: "emails.value", value: "a@example.org" }, { email: { value: "a@example.org" } }],
    [{ op: "replace", path: 'emails[type eq "home"].value', value: "a@example.org" }, {}],
    [{ op: "remove", path: 'emails[type eq "work"].value' }, { email: null }],
    [{ op: "remove", path: 'emails[type eq "home"]' }, {}],
    [
      {
        op: "replace",
        path: "emails",
        value: [
          { value: "home@example.org", type: "home" },
          { value: "a@example.org", type: "Work" },
        ],
      },
      { email: { value: "a@example.org", type: "Work", primary: true } },
    ],
    [{ op: "add", path: "emails", value: [{ value: "home@example.org", type: "home" }] }, {}],
    [{ op: "replace", path: "emails", value: [] }, { email: null }],
    [
      {
        op: "replace",
        value: { 'emails[type eq "work"].value': "a@example.org", "name.familyName": "L", active: "True" },
      },
      { email: { value: "a@example.org", type: "work" }, active: true },
    ],
  ])("%j changes %j", (operation, change) => {
    expect(changeBy(operation)).toEqual(change);
  });

  test("a required attribute cannot be removed, and the later of two operations counts", () => {
    const faultsOf = (operation: unknown) => readPatch(patchOf(operation), new Map()).faults.map(({ fault }) => fault);
    expect(faultsOf({ op: "remove", path: "userName" })).toEqual(["mutability"]);
    expect(faultsOf({ op: "remove", path: "active" })).toEqual(["mutability"]);
    expect(faultsOf({ op: "replace", path: "userName", value: "" })).toEqual(["invalidValue"]);
    const twice = ["A", "B"].map((value) => ({ op: "replace", path: "displayName", value }));
    expect(changeBy(...twice)).toEqual({ displayName: "B" });
  });

  test("a name or an address that cannot be stored is dropped, and the request does not fail", () => {
    const operations = [
      { op: "replace", path: "displayName", value: "x".repeat(201) },
      { op: "replace", path: "emails.value", value: "no address" },
      { op: "replace", path: "active", value: false },
    ];
    expect(readPatch(patchOf(...operations), new Map())).toMatchObject({
      change: { active: false },
      faults: [],
      dropped: new Set(["displayName", "emails"]),
    });
  });
});

test("100 operations are read, 101 are refused", () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ op: "replace", path: "active", value: true }));
  expect(changeBy(...many(100))).toEqual({ active: true });
  expect(faultOf(() => changeBy(...many(101)))).toBe("invalidSyntax");
  expect(faultOf(() => readPatch({ Operations: { op: "replace" } }, new Map()))).toBe("invalidSyntax");
});

test("no request can change the prototype of an object", () => {
  const parsed = (text: string): unknown => JSON.parse(text);
  for (const path of ["__proto__.polluted", "constructor.prototype.polluted", "__proto__"]) {
    expect(changeBy({ op: "add", path, value: "yes" })).toEqual({});
    expect(changeBy({ op: "add", path, value: { polluted: "yes" } })).toEqual({});
  }
  expect(changeBy(parsed('{"op":"replace","value":{"__proto__":{"polluted":"yes"}}}'))).toEqual({});
  expect(changeBy(parsed('{"op":"replace","__proto__":{"path":"active"},"value":{"displayName":"A"}}'))).toEqual({
    displayName: "A",
  });
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("a path is parsed without delay, and a path that is too long is refused", () => {
  expect(faultOf(() => changeBy({ op: "replace", path: "a".repeat(1_001), value: 1 }))).toBe("invalidPath");
  expect(faultOf(() => changeBy({ op: "replace", path: `emails[${" ".repeat(900)}`, value: 1 }))).toBeUndefined();
});
