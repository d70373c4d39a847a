import type { Response } from "express";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { Deps } from "../contract/deps.ts";
import type { Exchange } from "../http/route.ts";
import { sendNotFound } from "../pages/not-found.ts";
import { rememberRealm } from "../pages/page-realm.ts";

const found = new WeakMap<Response, RealmRow>();

/**
 * Finds the realm in the path. If the realm does not exist or its apps are off, responds as for an unknown address and
 * returns false.
 */
export const findRealm =
  (deps: Deps) =>
  async (exchange: Exchange): Promise<boolean> => {
    const { request, response } = exchange;
    const realm = await realms.findByName(deps.db, request.params[0] ?? "");
    if (realm?.onboardingApps !== true) {
      await sendNotFound(deps, exchange);
      return false;
    }
    found.set(response, realm);
    rememberRealm({ response }, realm);
    return true;
  };

/** Returns the realm that {@link findRealm} found. */
export function realmOf({ response }: { response: Response }): RealmRow {
  const realm = found.get(response);
  if (realm === undefined) throw new Error("a route of the apps without a realm");
  return realm;
}
