import type { Response } from "express";
import type { RealmRow } from "../../db/queries/realm/realms.ts";

/** The realm's properties that pages show. */
export type PageRealm = Pick<
  RealmRow,
  "id" | "name" | "displayName" | "logoUri" | "uploadedLogo" | "helpUri" | "privacyUri" | "timeZone"
>;

const remembered = new WeakMap<Response, PageRealm>();

/** Remembers the realm for the response's page, even if that becomes an error page. */
export function rememberRealm({ response }: { response: Response }, realm: PageRealm | undefined): void {
  if (realm !== undefined) remembered.set(response, realm);
}

/** Returns the realm remembered for a request. */
export const rememberedRealm = ({ response }: { response: Response }): PageRealm | undefined =>
  remembered.get(response);
