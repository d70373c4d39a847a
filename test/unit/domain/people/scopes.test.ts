import { expect, test } from "vitest";
import { allScopes, heldToGive, scopesAllowedTo, scopesFault } from "../../../../domain/people/scopes.ts";

const machineScopes = ["radius.read", "scim"] as const;

test.each(machineScopes)(
  "the machine scope %s is neither in the list of all scopes nor in the default scopes of a service or useragent",
  (scope) => {
    for (const list of [allScopes, scopesAllowedTo("service"), scopesAllowedTo("useragent")]) {
      expect(list).not.toContain(scope);
    }
  },
);

test.each(machineScopes)("the machine's scope %s is granted only alone, and only to a service", (scope) => {
  expect(scopesFault("service", [scope])).toBeUndefined();
  expect(scopesFault("service", [scope, "profile.read"])).toBe(`${scope} goes with no other scope`);
  expect(scopesFault("useragent", [scope])).toBe(`a useragent cannot have ${scope}`);
});

test("two machines' scopes cannot be combined", () => {
  expect(scopesFault("service", [...machineScopes])).toBe("radius.read scim goes with no other scope");
});

test("other scopes can be combined if the type of application is allowed to have them", () => {
  expect(scopesFault("service", ["openid"])).toBe("a service cannot have openid");
  expect(scopesFault("useragent", allScopes)).toBeUndefined();
});

test("a machine's scope can be granted by holders of the equivalent scopes, any other scope by holders of that scope", () => {
  expect(heldToGive("radius.read")).toEqual(["profile.read"]);
  expect(heldToGive("scim")).toEqual(["user.modify", "user.delete"]);
  expect(heldToGive("user.read")).toEqual(["user.read"]);
});

test("a service cannot have the scopes of a signed-in person, or a scope to give roles", () => {
  for (const scope of ["openid", "offline_access", "role.modify"] as const) {
    expect(scopesAllowedTo("service")).not.toContain(scope);
    expect(scopesFault("service", [scope])).toBe(`a service cannot have ${scope}`);
    expect(scopesAllowedTo("useragent")).toContain(scope);
  }
  expect(scopesAllowedTo("service")).toContain("user.modify");
});
