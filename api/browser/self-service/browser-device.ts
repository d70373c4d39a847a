import type { Request } from "express";
import type { DeviceType } from "../../../domain/device.ts";

type Asking = Pick<Request, "headers">;

const userAgentOf = ({ headers }: Asking): string => (headers["user-agent"] ?? "").slice(0, 500);

/** What `Sec-CH-UA-Platform` says (User-Agent Client Hints), which browsers made from Chromium send without being asked. */
const platforms: ReadonlyMap<string, DeviceType> = new Map([
  ["Android", "Android"],
  ["Chrome OS", "ChromeOS"],
  ["Chromium OS", "ChromeOS"],
  ["iOS", "iOS"],
  ["Linux", "Linux"],
  ["macOS", "MacOS"],
  ["Windows", "Windows"],
]);

const signs: readonly (readonly [RegExp, DeviceType])[] = [
  [/\biPad\b/, "iPadOS"],
  [/\b(?:iPhone|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "MacOS"],
  [/\bLinux\b/, "Linux"],
];

/** What kind of device a browser says that it is on; undefined when it says nothing of use. */
export function deviceOf(request: Asking): DeviceType | undefined {
  const hint = request.headers["sec-ch-ua-platform"];
  const platform = typeof hint === "string" ? platforms.get(hint.replaceAll('"', "")) : undefined;
  if (platform !== undefined) return platform;
  const userAgent = userAgentOf(request);
  return signs.find(([sign]) => sign.test(userAgent))?.[1];
}

/** Safari on an iPad says that it is on a Mac, with the same words. */
export const mayBeIPad = (request: Asking): boolean =>
  /\bMacintosh\b.*\bVersion\/.*\bSafari\//.test(userAgentOf(request));

/**
 * The small browsers that devices open for a network's sign-in page, and those inside other apps: they cannot install a
 * profile. Answers the browser that can.
 */
export function embeddedBrowserOf(request: Asking): "safari" | "other" | undefined {
  const userAgent = userAgentOf(request);
  if (/CaptiveNetworkSupport|wispr/i.test(userAgent)) return "safari";
  if (/\b(?:iPhone|iPad|iPod|Macintosh)\b.*\bAppleWebKit\/(?!.*\bSafari\/)/.test(userAgent)) return "safari";
  return /\bAndroid\b.*; wv\)/.test(userAgent) ? "other" : undefined;
}
