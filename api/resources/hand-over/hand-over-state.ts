import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import { handOverFileMinutes } from "../../../domain/lifetimes.ts";

/**
 * `waiting` for a device; `claimed` by a browser that has not requested the profile yet; `expired` if it was not
 * requested in time; then `preparing`, `ready` while the file can be fetched, and `gone`; or `failed`.
 */
export type HandOverState = "waiting" | "expired" | "claimed" | "preparing" | "ready" | "gone" | "failed";

export function stateOf(handOver: HandOver, at: Date): HandOverState {
  const { claimedAt, pickedUpAt, expiresAt, state } = handOver;
  if (pickedUpAt === null) return expiresAt <= at ? "expired" : claimedAt === null ? "waiting" : "claimed";
  if (state === "issued") return fileEnd(handOver, at) > at ? "ready" : "gone";
  return state === "failed" ? "failed" : "preparing";
}

/** Returns until when the file can be fetched, counted from the first download; before that, from the issuance. */
export const fileEnd = ({ downloadedAt, issuedAt }: Pick<HandOver, "downloadedAt" | "issuedAt">, at: Date): Date =>
  new Date((downloadedAt ?? issuedAt ?? at).getTime() + handOverFileMinutes * 60_000);
