import * as realms from "../../../db/queries/realm/realms.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { RealmName } from "../../../domain/realm.ts";
import type { Deps } from "../../contract/deps.ts";
import { fileRoute } from "../../http/file-route.ts";
import { sendConditional } from "../../http/respond.ts";
import type { Route } from "../../http/route.ts";
import { logosPath } from "../../pages/parts/logo-path.ts";

/** An SVG may contain styles. Scripts and all other active content are blocked, even if the SVG is opened directly. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** How long browsers cache a logo before they revalidate it. */
const cacheControl = "public, max-age=300";

/**
 * `GET /realms/:realm/logo`: sends the realm's logo, without authentication. Browsers never load the logo from the
 * address that the realm set.
 */
export const logoRoute = ({ db, logos }: Pick<Deps, "db" | "logos">): Route =>
  fileRoute(`${logosPath}/:realm/logo`, async ({ request, response }) => {
    const name = RealmName.safeParse(request.params["realm"]);
    const realm = name.success ? await realms.findByName(db, name.data) : undefined;
    const picture = realm && (await logos.find(realm));
    if (picture === undefined) throw new ServiceError("not_found");
    response.setHeader("Content-Security-Policy", contentSecurityPolicy);
    sendConditional(response, picture.bytes, { type: picture.type, cacheControl });
  });
