import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";

/**
 * `waiting` for a device, `expired` before one came; once a device has picked it up: `preparing`, then `ready` while the
 * file can be fetched, then `gone`; or `failed`.
 */
export type HandOverState = "waiting" | "expired" | "preparing" | "ready" | "gone" | "failed";

export function stateOf(handOver: HandOver, at: Date): HandOverState {
  const { pickedUpAt, expiresAt, state } = handOver;
  if (pickedUpAt === null) return expiresAt > at ? "waiting" : "expired";
  if (state === "issued") return fileEnd(handOver, at) > at ? "ready" : "gone";
  return state === "failed" ? "failed" : "preparing";
}

/** Until when the file can be fetched: for two minutes from when it was first offered. */
export const fileEnd = ({ offeredAt }: Pick<HandOver, "offeredAt">, at: Date): Date =>
  new Date((offeredAt ?? at).getTime() + handOvers.fileSecondsMax * 1000);
