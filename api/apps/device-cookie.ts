import { randomBytes } from "node:crypto";
import { knownDeviceDays } from "../../domain/lifetimes.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import { readCookie, setCookie } from "../pages/cookies.ts";
import type { PageRequest } from "../pages/page-request.ts";

/** Returns the hash of the cookie that identifies the device; undefined without a cookie. */
export function knownDevice({ deps, request }: PageRequest): Buffer | undefined {
  const value = readCookie(deps, request, "device");
  return value === undefined ? undefined : hashOfToken(value);
}

/** Sets or extends the cookie that identifies the device later; returns the hash to store. */
export function rememberDevice({ deps, request, response }: PageRequest): Buffer {
  const value = readCookie(deps, request, "device") ?? randomBytes(24).toString("base64url");
  setCookie(deps, response, { name: "device", value, maxAgeSeconds: knownDeviceDays * 24 * 3_600 });
  return hashOfToken(value);
}
