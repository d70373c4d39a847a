import { hash } from "node:crypto";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { Deps } from "../../contract/deps.ts";
import { pathOn } from "../continue-to.ts";

/** The first segment of logos' addresses. */
export const logosPath = "/realms";

/**
 * Returns the source of a realm's logo: the digest of the uploaded logo, else the logo's address, else an empty text.
 */
export const logoSource = ({ logoUri, uploadedLogo }: Pick<RealmRow, "logoUri" | "uploadedLogo">): string =>
  uploadedLogo ?? logoUri;

/** Returns the address of a realm's logo on our own origin. The address changes with the logo's source. */
export const logoPath = (
  deps: Pick<Deps, "settings">,
  realm: Pick<RealmRow, "name" | "logoUri" | "uploadedLogo">,
): string =>
  pathOn(deps, `${logosPath}/${realm.name}/logo?v=${hash("sha256", logoSource(realm), "base64url").slice(0, 8)}`);
