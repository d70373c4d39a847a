import { hash } from "node:crypto";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { Deps } from "../../contract/deps.ts";
import { pathOn } from "../continue-to.ts";

/** The first segment of logos' addresses. */
export const logosPath = "/realms";

/** Returns the address of a realm's logo on our own origin. It changes with the address of the source. */
export const logoPath = (deps: Pick<Deps, "settings">, { name, logoUri }: Pick<RealmRow, "name" | "logoUri">): string =>
  pathOn(deps, `${logosPath}/${name}/logo?v=${hash("sha256", logoUri, "base64url").slice(0, 8)}`);
