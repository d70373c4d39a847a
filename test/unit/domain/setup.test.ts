import { describe, expect, test } from "vitest";
import { setupSteps, stepStates, type SetupFacts, type SetupStep } from "../../../domain/setup.ts";

const at = new Date("2026-11-24T12:00:00Z");
const ago = (hours: number): Date => new Date(at.getTime() - hours * 3_600_000);

const administrator = { username: "ada", hasPassword: true, isKnownToProvider: false, isKept: false };
const nothing: SetupFacts = {
  domain: "demo.example",
  ssids: ["eduroam"],
  areSsidsConfirmed: false,
  hasRadiusCa: false,
  provider: null,
  administrators: [administrator],
  serverCertificateEndsAt: null,
  askers: [],
  otherAskers: [],
  ownDevice: { hasProfile: false, checkedAt: null },
  peopleHaveProfiles: false,
};

const stateOf = (step: SetupStep, facts: Partial<SetupFacts>) => stepStates({ ...nothing, ...facts }, at)[step];

test("in a new realm every step is still to be done, in the order of the list", () => {
  const states = stepStates(nothing, at);
  expect(Object.keys(states)).toEqual(setupSteps);
  expect(new Set(Object.values(states))).toEqual(new Set(["todo"]));
});

describe("sign_in", () => {
  const issuer = "https://idp.example.org";
  const linkOnly = { ...administrator, hasPassword: false };

  test("is done once a user has signed in through the provider, and prepared until then", () => {
    expect(stateOf("sign_in", { provider: { issuer, wasUsed: false } })).toBe("set");
    expect(stateOf("sign_in", { provider: { issuer, wasUsed: true } })).toBe("done");
  });

  test("warns if the only administrator has no password and never signed in through the provider", () => {
    expect(stateOf("sign_in", { administrators: [linkOnly] })).toBe("warning");
    expect(stateOf("sign_in", { administrators: [linkOnly], provider: { issuer, wasUsed: true } })).toBe("warning");
    expect(
      stateOf("sign_in", {
        administrators: [{ ...linkOnly, isKnownToProvider: true }],
        provider: { issuer, wasUsed: true },
      }),
    ).toBe("done");
    expect(stateOf("sign_in", { administrators: [linkOnly, linkOnly] })).toBe("todo");
  });
});

test("domain is done with a domain that is not reserved for examples", () => {
  expect(stateOf("domain", { domain: "wifi.campus.example" })).toBe("todo");
  expect(stateOf("domain", { domain: "wifi.campus.de" })).toBe("done");
  expect(stateOf("domain", { domain: "notexample.org" })).toBe("done");
});

test("wifi is done with networks other than the default, once somebody has confirmed them, or once a device was checked", () => {
  expect(stateOf("wifi", { ssids: ["campus"] })).toBe("done");
  expect(stateOf("wifi", { ssids: ["eduroam", "campus"] })).toBe("done");
  expect(stateOf("wifi", { areSsidsConfirmed: true })).toBe("done");
  expect(stateOf("wifi", { ownDevice: { hasProfile: true, checkedAt: null } })).toBe("todo");
  expect(stateOf("wifi", { ownDevice: { hasProfile: true, checkedAt: ago(1) } })).toBe("done");
});

test("radius_certificate is done with a certificate of the realm's RADIUS server, or with a configured CA", () => {
  expect(stateOf("radius_certificate", { serverCertificateEndsAt: ago(-1) })).toBe("done");
  expect(stateOf("radius_certificate", { hasRadiusCa: true })).toBe("done");
});

test("radius_asks is done if a server asked within a day, and warns if the last question is older", () => {
  const asked = (hours: number) => ({ address: "192.0.2.7", lastAt: ago(hours) });
  expect(stateOf("radius_asks", { askers: [asked(23), asked(50)] })).toBe("done");
  expect(stateOf("radius_asks", { askers: [asked(24)] })).toBe("warning");
});

test("own_device is prepared with a profile, and done once a server has asked about that profile", () => {
  expect(stateOf("own_device", { ownDevice: { hasProfile: true, checkedAt: null } })).toBe("set");
  expect(stateOf("own_device", { ownDevice: { hasProfile: false, checkedAt: ago(1) } })).toBe("done");
});

test("people is done once a user who is not an administrator has a profile", () => {
  expect(stateOf("people", { peopleHaveProfiles: true })).toBe("done");
});

test("second_administrator is done with two administrators, and warns if the provider no longer names one of them", () => {
  expect(stateOf("second_administrator", { administrators: [administrator, administrator] })).toBe("done");
  expect(stateOf("second_administrator", { administrators: [{ ...administrator, isKept: true }] })).toBe("warning");
});

test("second_administrator is prepared while the second cannot sign in", () => {
  const linkOnly = { ...administrator, hasPassword: false };
  expect(stateOf("second_administrator", { administrators: [administrator, linkOnly] })).toBe("set");
  const known = { ...linkOnly, isKnownToProvider: true };
  expect(stateOf("second_administrator", { administrators: [administrator, known] })).toBe("done");
});
