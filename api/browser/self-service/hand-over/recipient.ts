import { randomBytes, timingSafeEqual } from "node:crypto";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { hashOfToken } from "../../../../runtime/keys/secret-token.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { readCookie, setCookie } from "../../../pages/cookies.ts";
import { recipientSeconds } from "../../../../domain/lifetimes.ts";

/** Sets a cookie that identifies the browser for some hours; returns the hash to store. */
export function markRecipient({ deps, request, response }: PageRequest): Buffer {
  const value = readCookie(deps, request, "pickup") ?? randomBytes(24).toString("base64url");
  setCookie(deps, response, { name: "pickup", value, maxAgeSeconds: recipientSeconds });
  return hashOfToken(value);
}

/** Returns whether this browser claimed the hand-over. */
export function isRecipient(
  { deps, request }: PageRequest,
  { recipientHash }: Pick<HandOver, "recipientHash">,
): boolean {
  const value = readCookie(deps, request, "pickup");
  return value !== undefined && recipientHash !== null && timingSafeEqual(hashOfToken(value), recipientHash);
}
