import { expect, test } from "vitest";
import {
  correctedDeviceType,
  deviceTypeOf,
  findOnboardingApp,
  fitsOnboardingApp,
  onboardingApps,
  type OnboardingApp,
} from "../../../domain/onboarding-apps.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";

const app = (clientId: string): OnboardingApp => {
  const found = findOnboardingApp(clientId);
  if (found === undefined) throw new Error(clientId);
  return found;
};
const mobile = app("app.eduroam.geteduroam");
const windows = app("app.geteduroam.win");

test("an app is known by its exact client_id", () => {
  expect(onboardingApps.map(({ clientId }) => findOnboardingApp(clientId)?.clientId)).toEqual([
    "app.eduroam.geteduroam",
    "app.geteduroam.win",
    "app.geteduroam.sh",
    "app.govroam.getgovroam",
    "app.getgovroam.win",
  ]);
  for (const other of [undefined, "", "App.eduroam.geteduroam", "app.eduroam.geteduroam ", "__proto__"]) {
    expect(findOnboardingApp(other)).toBeUndefined();
  }
});

test.each([
  "http://127.0.0.1/",
  "http://127.0.0.1:1/",
  "http://127.0.0.1:8080/",
  "http://[::1]:49152/",
  "http://[::1]:65534/",
  "http://[::1]:65535/",
])("%s is an address of the device", (uri) => {
  expect(fitsOnboardingApp(windows, uri)).toBe(true);
  expect(fitsOnboardingApp(mobile, uri)).toBe(false);
});

test.each([
  "http://localhost:8080/",
  "http://127.0.0.1:65536/",
  "http://127.0.0.1:0/",
  "http://127.0.0.1:08080/",
  "http://127.0.0.1:/",
  "http://127.0.0.1",
  "http://127.0.0.1:8080",
  "http://127.0.0.1:8080/a",
  "http://127.0.0.1:8080/?a=b",
  "http://127.0.0.1:8080/#",
  "http://a@127.0.0.1:8080/",
  "http://127.0.0.1:8080@evil.example/",
  "http://127.0.0.1.evil.example/",
  "http://127.1/",
  "http://[::2]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "HTTP://127.0.0.1/",
  "https://127.0.0.1/",
  "http://127.0.0.1:8080/\n",
  " http://127.0.0.1:8080/",
  "app.eduroam.geteduroam:/",
])("%s is not an address of the Windows app", (uri) => {
  expect(fitsOnboardingApp(windows, uri)).toBe(false);
});

test.each(["app.eduroam.geteduroam:/", "app.govroam.getgovroam:/"])("%s belongs to only one app", (uri) => {
  expect(onboardingApps.filter((each) => fitsOnboardingApp(each, uri))).toHaveLength(1);
  for (const near of [`${uri}/`, `${uri}x`, uri.slice(0, -1), uri.toUpperCase(), `${uri}?a=b`]) {
    expect(onboardingApps.filter((each) => fitsOnboardingApp(each, near))).toEqual([]);
  }
});

test("the device always has a type on which the app runs", () => {
  expect(deviceTypeOf(mobile, "iPadOS")).toBe("iPadOS");
  expect(deviceTypeOf(mobile, "Windows")).toBe("Android");
  expect(deviceTypeOf(mobile, undefined)).toBe("Android");
  expect(deviceTypeOf(windows, "Android")).toBe("Windows");
});

const apple = "geteduroam/1 CFNetwork/1490.0.4 Darwin/23.2.0";

test.each<[string, DeviceType, string, boolean, DeviceType]>([
  ["Android's app", "iOS", "geteduroam-android/2.3.0", false, "Android"],
  ["Android's app on a Chromebook", "ChromeOS", "geteduroam-android/2.3.0", false, "ChromeOS"],
  ["the app on an iPhone", "Android", apple, false, "iOS"],
  ["the app on an iPad whose Safari looks like a Mac", "MacOS", apple, false, "iPadOS"],
  ["the app on an iPad", "iPadOS", apple, false, "iPadOS"],
  ["the app on a Mac", "iOS", apple, true, "MacOS"],
  ["an unknown program", "iPadOS", "curl/8", false, "iPadOS"],
  ["no User-Agent", "iOS", "", true, "iOS"],
])("%s", (_, shown, userAgent, wantsMobileconfig, corrected) => {
  expect(correctedDeviceType(mobile, shown, { userAgent, wantsMobileconfig })).toBe(corrected);
});

test("a User-Agent cannot change the device to a type on which the app does not run", () => {
  expect(correctedDeviceType(windows, "Windows", { userAgent: apple, wantsMobileconfig: false })).toBe("Windows");
});
