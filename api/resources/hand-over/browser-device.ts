import type { Request, Response } from "express";
import type { DeviceType } from "../../../domain/certificate/device.ts";

type Asking = Pick<Request, "headers">;

const userAgentOf = ({ headers }: Asking): string => (headers["user-agent"] ?? "").slice(0, 500);

/** Values of `Sec-CH-UA-Platform` (User-Agent Client Hints), which Chromium-based browsers send unasked. */
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

/** Returns the kind of device that the browser runs on; undefined if its headers do not show it. */
export function deviceOf(request: Asking): DeviceType | undefined {
  const hint = request.headers["sec-ch-ua-platform"];
  const platform = typeof hint === "string" ? platforms.get(hint.replaceAll('"', "")) : undefined;
  if (platform !== undefined) return platform;
  const userAgent = userAgentOf(request);
  return signs.find(([sign]) => sign.test(userAgent))?.[1];
}

/** Returns whether the browser may run on an iPad: Safari sends the same User-Agent there as on a Mac. */
export const mayBeIPad = (request: Asking): boolean =>
  /\bMacintosh\b.*\bVersion\/.*\bSafari\//.test(userAgentOf(request));

/**
 * Detects browsers that cannot install a profile: the limited browsers that devices open for a network's sign-in page,
 * and browsers inside other apps. Returns the browser to use instead; undefined for any other browser.
 */
export function embeddedBrowserOf(request: Asking): "safari" | "other" | undefined {
  const userAgent = userAgentOf(request);
  if (/CaptiveNetworkSupport|wispr/i.test(userAgent)) return "safari";
  if (/\b(?:iPhone|iPad|iPod|Macintosh)\b.*\bAppleWebKit\/(?!.*\bSafari\/)/.test(userAgent)) return "safari";
  return /\bAndroid\b.*; wv\)/.test(userAgent) ? "other" : undefined;
}

/** A structured string (RFC 9651 section 3.3.3) without escapes. */
const modelHint = /^"([!#-[\]-~ ]{1,40})"$/;

/**
 * Returns the device's model; undefined if the browser does not send it. Chromium does, over https, to a site that asked
 * for it with {@link askForModel}.
 */
export function modelOf({ headers }: Asking): string | undefined {
  const hint = headers["sec-ch-ua-model"];
  const model = typeof hint === "string" ? modelHint.exec(hint)?.[1]?.trim() : undefined;
  return model === "" ? undefined : model;
}

/** Asks the browser to send the device's model from now on. */
export const askForModel = (response: Response): void => {
  response.setHeader("Accept-CH", "Sec-CH-UA-Model");
};
