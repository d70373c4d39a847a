import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import type { NewHandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { ServiceError } from "../../../../domain/errors.ts";
import { handOverClaimMinutes } from "../../../../domain/lifetimes.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { hashesOfHandOver } from "../../../resources/hand-over/hand-over-hashes.ts";
import { redirect } from "../../../pages/redirect.ts";
import { claimBy } from "./claim.ts";
import { isOf, type Owner } from "../owner.ts";

/**
 * A hand-over requested with a form. The form contains the hand-over's id, so sending the form twice creates only one
 * hand-over.
 */
export type WantedHandOver = Pick<NewHandOver, "id" | "deviceType" | "name" | "format" | "renewsSerialNumber">;

/** Where the profile goes: to this browser, or to any device that opens the link or uses the short code. */
export type Delivery = "here" | "elsewhere";

/** Creates a hand-over and redirects to its page. If the profile is for this browser, also claims the hand-over. */
export async function makeHandOver(
  page: PageRequest,
  owner: Owner,
  wanted: WantedHandOver,
  place: Delivery,
): Promise<void> {
  const { deps } = page;
  const { db } = deps;
  const row: NewHandOver = {
    ...wanted,
    ...owner.of,
    realmId: owner.realm.id,
    ...hashesOfHandOver(deps, wanted.id),
    at: deps.clock.now(),
  };
  const isMade = await (place === "here"
    ? handOvers.createClaimed(db, row, claimBy(page, row))
    : handOvers.create(db, row));
  if (!isMade) await requireMade(page, owner, wanted.id);
  redirect(page, `${owner.home}/hand-overs/${wanted.id}`);
}

/** Throws `too_many_requests` unless the same form has already created this hand-over. */
async function requireMade({ deps }: PageRequest, owner: Owner, id: string): Promise<void> {
  const found = await handOvers.find(deps.db, { id });
  if (found === undefined || !isOf(found, owner)) {
    throw new ServiceError("too_many_requests", { retryAfterSeconds: handOverClaimMinutes * 60 });
  }
}
