import type { HandOverOwner } from "../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import type { Objection } from "../../resources/hand-over/accept-hand-over.ts";
import type { Visitor } from "./views/page.tsx";

/** The owner of a page's devices: a signed-in user, or the holder of a guest account's link. */
export interface Owner {
  realm: RealmRow;
  /** The path of the first page; the others are below it. */
  home: string;
  of: HandOverOwner;
  /** The source of suggested names; null: none; undefined: devices are not named. */
  displayName: string | null | undefined;
  /** The name of every profile if devices are not named. */
  profileName: string;
  /** Active profiles and unsettled issuances. */
  count: number;
  /** Null: unlimited. */
  limit: number | null;
  /** Why a further profile would be refused now. */
  objection: Objection | undefined;
  visitor: Visitor | undefined;
}

/** Finds the owner of the requested page. If there is none, sends the response and returns undefined. */
export type FindOwner<Found extends Owner = Owner> = (page: PageRequest) => Promise<Found | undefined>;

/** Returns whether a hand-over belongs to the owner and not to an app: apps' hand-overs have no page. */
export const isOf = (
  handOver: HandOverOwner & { realmId: string; app: string | null },
  { of, realm }: Owner,
): boolean =>
  handOver.app === null &&
  handOver.realmId === realm.id &&
  handOver.userId === of.userId &&
  handOver.guestAccountId === of.guestAccountId;
