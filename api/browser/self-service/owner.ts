import type { HandOverOwner } from "../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { GuestProfileRefusal } from "../../../domain/entitlement.ts";
import type { PageRequest } from "../pages/page-request.ts";
import type { RenewalRefusal } from "../../resources/profile/accept-renewal.ts";
import type { Visitor } from "./views/page.tsx";

/** What can stand against a further profile. */
export type Objection = RenewalRefusal | GuestProfileRefusal;

/** Whose devices a page is about: somebody who is signed in, or whoever holds a guest account's link. */
export interface Owner {
  realm: RealmRow;
  /** Where its pages are: the first one, and below it the others. */
  home: string;
  of: HandOverOwner;
  /** What names are suggested from; undefined when devices are given none. */
  displayName: string | null | undefined;
  /** The name of every profile, where devices are given none. */
  profileName: string;
  /** Active profiles and those under way. */
  count: number;
  /** Null: unlimited. */
  limit: number | null;
  /** What stands against a further profile now. */
  objection: Objection | undefined;
  visitor: Visitor | undefined;
}

/** Finds out whose pages are asked for. Undefined: nobody's, and the request is answered already. */
export type FindOwner<Found extends Owner = Owner> = (page: PageRequest) => Promise<Found | undefined>;

/** Whether a hand-over is the owner's. */
export const isOf = (handOver: HandOverOwner & { realmId: string }, { of, realm }: Owner): boolean =>
  handOver.realmId === realm.id && handOver.userId === of.userId && handOver.guestAccountId === of.guestAccountId;
