import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { Owner } from "./owner.ts";

/** The viewer of a page. `owner` is undefined for a device with only a link. */
export interface Viewer {
  realm: RealmRow;
  owner: Owner | undefined;
}
