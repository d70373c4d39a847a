import type { Db } from "../../../db/client.ts";
import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver, HandOverOwner } from "../../../db/queries/issuance/hand-overs.ts";
import type { DeviceType } from "../../../domain/device.ts";
import type { IssuanceID } from "../../../domain/ids.ts";
import { drawIssuanceId } from "../../../runtime/draw-ids.ts";
import { acceptGuestProfile } from "../../resources/guest-profile/accept-guest-profile.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { acceptProfile } from "../../resources/profile/accept-profile.ts";
import { acceptRenewal } from "../../resources/profile/accept-renewal.ts";
import { contextOf } from "../../http/request-context.ts";
import { deviceOf } from "./browser-device.ts";
import { formatFor } from "./formats.ts";
import type { Objection } from "./owner.ts";

/** What came of an attempt to pick a profile up. */
export type PickUpOutcome = { issuanceId: IssuanceID } | { objection: Objection } | "taken";

/** Undoes the transaction that it is thrown in. */
class Refused extends Error {
  readonly outcome: Exclude<PickUpOutcome, { issuanceId: IssuanceID }>;
  constructor(outcome: Refused["outcome"]) {
    super("a hand-over was refused");
    this.outcome = outcome;
  }
}

type Waiting = HandOverOwner & Pick<HandOver, "id" | "realmId" | "name" | "format" | "renewsSerialNumber">;

/**
 * Has the browser that asks take a hand-over: of all attempts one gets it, and with it an accepted issuance, both or
 * neither. `first` runs before, in the same transaction. When the profile is refused, the hand-over stays.
 */
export async function pickUp(
  page: PageRequest,
  { handOver, deviceType, pickerHash }: { handOver: Waiting; deviceType: DeviceType; pickerHash: Buffer },
  first: (tx: Db) => Promise<boolean> = () => Promise.resolve(true),
): Promise<PickUpOutcome> {
  const { deps, request, response } = page;
  const { id: requestId } = contextOf(response);
  const at = deps.clock.now();
  const issuanceId = drawIssuanceId();
  const format = formatFor(deviceType, handOver.format);
  const { id, name } = handOver;
  const pickedUpBy = deviceOf(request) ?? deviceType;
  try {
    await deps.db.transaction(async (tx) => {
      const isMade = await first(tx);
      const isTaken =
        isMade &&
        (await handOvers.pickUp(tx, { id, deviceType, name, format, pickedUpBy, pickerHash, issuanceId, at }));
      if (!isTaken) throw new Refused("taken");
      const objection = await accept(tx, handOver, { id: issuanceId, deviceType, format, at, requestId });
      if (objection !== undefined) throw new Refused({ objection });
    });
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
  return { issuanceId };
}

function accept(
  tx: Db,
  handOver: Waiting,
  how: { id: string; deviceType: DeviceType; format: HandOver["format"] & string; at: Date; requestId: string },
): Promise<Objection | undefined> {
  const { realmId, userId, guestAccountId, name, renewsSerialNumber } = handOver;
  if (userId === null) return acceptGuestProfile(tx, { realmId, guestAccountId, ...how });
  const wanted = { realmId, userId, name, allowAuth: false, actor: { userId, clientId: null }, ...how };
  return renewsSerialNumber === null
    ? acceptProfile(tx, wanted)
    : acceptRenewal(tx, { ...wanted, renews: renewsSerialNumber });
}

/** A page waits for so long before it shows that something is being prepared. */
const waitMs = 3_000;

/** Has a worker make what was accepted, and waits a moment for it. */
export async function waitForProfile({ deps, response }: PageRequest, issuanceId: IssuanceID): Promise<void> {
  const context = contextOf(response);
  context.about = { issuanceId };
  const watch = deps.settlements.watch(issuanceId);
  void deps.enqueueIssuance(issuanceId, { isNew: true });
  await watch.settled(waitMs, context.signal());
}
