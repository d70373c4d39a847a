import type { Response } from "express";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";

/** What pages show of the realm that they are of. */
export type PageRealm = Pick<
  RealmRow,
  "id" | "name" | "displayName" | "logoUri" | "helpUri" | "privacyUri" | "timeZone"
>;

const remembered = new WeakMap<Response, PageRealm>();

/** From here on whatever page answers the request is the realm's, also one that says what went wrong. */
export function rememberRealm({ response }: { response: Response }, realm: PageRealm | undefined): void {
  if (realm !== undefined) remembered.set(response, realm);
}

/** The realm that a request was found to be about. */
export const rememberedRealm = ({ response }: { response: Response }): PageRealm | undefined =>
  remembered.get(response);
