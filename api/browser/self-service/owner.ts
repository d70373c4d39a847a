import type { HandOverOwner } from "../../../db/queries/issuance/hand-overs.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { GuestProfileRefusal } from "../../../domain/entitlement.ts";
import type { PageRequest } from "../pages/page-request.ts";
import type { RenewalRefusal } from "../../resources/profile/accept-renewal.ts";
import type { Visitor } from "./views/page.tsx";

/** Why a further profile can be refused. */
export type Objection = RenewalRefusal | GuestProfileRefusal;

/** Whose devices a page is about: a signed-in user's, or those of a guest account's link holder. */
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
  /** Why a further profile would be refused now. */
  objection: Objection | undefined;
  visitor: Visitor | undefined;
}

/** Finds the owner of the requested page. Undefined: there is none, and the response has been sent. */
export type FindOwner<Found extends Owner = Owner> = (page: PageRequest) => Promise<Found | undefined>;

/** Whether a hand-over is the owner's. */
export const isOf = (handOver: HandOverOwner & { realmId: string }, { of, realm }: Owner): boolean =>
  handOver.realmId === realm.id && handOver.userId === of.userId && handOver.guestAccountId === of.guestAccountId;
