import { expect, test } from "vitest";
import { deviceOf, mayBeIPad, embeddedBrowserOf } from "../../../../../api/resources/hand-over/browser-device.ts";
import { userAgents } from "../../../../support/browser/user-agents.ts";

const asking = (userAgent: string, platform?: string) => ({
  headers: { "user-agent": userAgent, ...(platform === undefined ? {} : { "sec-ch-ua-platform": platform }) },
});

test.each([
  ["iPhone", "iOS"],
  ["chromeOnIPhone", "iOS"],
  ["captiveOnIPhone", "iOS"],
  ["oldIPad", "iPadOS"],
  ["iPad", "MacOS"],
  ["mac", "MacOS"],
  ["firefoxOnMac", "MacOS"],
  ["android", "Android"],
  ["windows", "Windows"],
  ["linux", "Linux"],
  ["chromebook", "ChromeOS"],
] as const)("%s is recognized as %s", (agent, deviceType) => {
  expect(deviceOf(asking(userAgents[agent]))).toBe(deviceType);
});

test("a client hint takes precedence over the user agent, and an unknown client hint is ignored", () => {
  expect(deviceOf(asking(userAgents.linux, '"Chrome OS"'))).toBe("ChromeOS");
  expect(deviceOf(asking(userAgents.android, '"Unknown"'))).toBe("Android");
  for (const odd of ["", "curl/8.0", "constructor", "x".repeat(100_000)])
    expect(deviceOf(asking(odd, odd))).toBeUndefined();
});

test("on an iPad that claims to be a Mac the user can choose the device, but not in Chrome and Firefox on a Mac", () => {
  const may = (["iPad", "mac", "firefoxOnMac", "iPhone"] as const).map((agent) => mayBeIPad(asking(userAgents[agent])));
  expect(may).toEqual([true, false, false, false]);
});

test("small browsers are distinguished from those that can install a profile", () => {
  const small = Object.entries(userAgents).flatMap(([name, agent]) => {
    const found = embeddedBrowserOf(asking(agent));
    return found === undefined ? [] : [[name, found]];
  });
  expect(small).toEqual([
    ["captiveOnIPhone", "safari"],
    ["captiveProbe", "safari"],
    ["webViewOnAndroid", "other"],
  ]);
});
