import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { Owner } from "./owner.ts";

/** Whose page it is: the owner's, or undefined when the device came with a link alone. */
export interface Viewer {
  realm: RealmRow;
  owner: Owner | undefined;
}
