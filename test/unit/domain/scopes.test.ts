import { expect, test } from "vitest";
import { allScopes, heldToGive, scopesAllowedTo, scopesFault } from "../../../domain/people/scopes.ts";

test("a machine's scope is in no list that stands for all", () => {
  for (const list of [allScopes, scopesAllowedTo("service"), scopesAllowedTo("useragent")]) {
    expect(list).not.toContain("radius.read");
  }
});

test("a machine's scope goes with no other, and for a service alone", () => {
  expect(scopesFault("service", ["radius.read"])).toBeUndefined();
  expect(scopesFault("service", ["radius.read", "profile.read"])).toBe("radius.read goes with no other scope");
  expect(scopesFault("useragent", ["radius.read"])).toBe("a useragent cannot have radius.read");
  expect(scopesFault("service", ["openid"])).toBe("a service cannot have openid");
  expect(scopesFault("useragent", allScopes)).toBeUndefined();
});

test("a machine's scope can be given by holders of the scopes that it reveals; any other by its holders", () => {
  expect(heldToGive("radius.read")).toBe("profile.read");
  expect(heldToGive("user.read")).toBe("user.read");
});

test("a service has no scope of a signed-in person, and gives no roles", () => {
  for (const scope of ["openid", "offline_access", "role.modify"] as const) {
    expect(scopesAllowedTo("service")).not.toContain(scope);
    expect(scopesFault("service", [scope])).toBe(`a service cannot have ${scope}`);
    expect(scopesAllowedTo("useragent")).toContain(scope);
  }
  expect(scopesAllowedTo("service")).toContain("user.modify");
});
