import { describe, expect, test } from "vitest";
import { hasStaffScope, requireAdmission, type Access } from "../../../../api/contract/access.ts";
import type { Principal, ServicePrincipal, UserPrincipal } from "../../../../api/contract/principal.ts";
import type { Role } from "../../../../domain/people/roles.ts";
import type { Scope } from "../../../../domain/people/scopes.ts";

const holder = (scopes: Scope[]) => ({ realmId: "1", scopes: new Set(scopes), expiresAt: new Date("2037-01-01") });

const service = (...scopes: Scope[]): ServicePrincipal => ({ kind: "service", clientId: "client", ...holder(scopes) });

const person = (roles: Role[], ...scopes: Scope[]): UserPrincipal => ({
  kind: "user",
  userId: "1",
  clientId: "client",
  roles,
  sessionId: null,
  certificateId: null,
  ...holder(scopes),
});

const admits = (principal: Principal, access: Access, scope?: Scope): boolean => {
  try {
    requireAdmission(principal, { access, scope, furtherScopes: [] });
    return true;
  } catch {
    return false;
  }
};

test("a person needs the scope and a role that includes the scope", () => {
  expect(hasStaffScope(person(["auditor"], "audit.read"), "audit.read")).toBe(true);
  expect(hasStaffScope(person(["auditor"]), "audit.read")).toBe(false);
  expect(hasStaffScope(person(["help_desk"], "audit.read"), "audit.read")).toBe(false);
  expect(hasStaffScope(person([], "audit.read"), "audit.read")).toBe(false);
});

test("a service needs only the scope", () => {
  expect(hasStaffScope(service("audit.read"), "audit.read")).toBe(true);
  expect(hasStaffScope(service("user.read"), "audit.read")).toBe(false);
});

describe("admission to an endpoint", () => {
  test("for staff is refused to a person whose roles lack the scope", () => {
    expect(admits(person(["administrator"], "user.read"), "staff", "user.read")).toBe(true);
    expect(admits(person(["guest_manager"], "user.read"), "staff", "user.read")).toBe(false);
    expect(admits(person([], "user.read"), "staff", "user.read")).toBe(false);
  });

  test("for a person's own data requires the scope, but no role", () => {
    expect(admits(person([], "profile.read"), "user", "profile.read")).toBe(true);
    expect(admits(person([]), "user", "profile.read")).toBe(false);
    expect(admits(service("profile.read"), "user", "profile.read")).toBe(false);
  });
});

test("a machine's token is admitted only to endpoints that require its scope", () => {
  for (const [own, foreign] of [["radius.read", "scim"] as const, ["scim", "radius.read"] as const]) {
    const machine = service(own);
    expect(admits(machine, "staff", own)).toBe(true);
    expect(admits(machine, "staff", foreign)).toBe(false);
    for (const access of ["staff", "any"] as const) {
      expect(admits(machine, access)).toBe(false);
      expect(admits(service("profile.read"), access)).toBe(true);
    }
  }
});
