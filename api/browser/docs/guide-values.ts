import { DatabaseUnavailable } from "../../../db/outage.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { GuideRealm } from "../../../db/queries/realm/realms.ts";
import { isDnsName } from "../../../domain/certificate-profile.ts";
import { radiusServerName } from "../../../domain/entitlement.ts";
import type { Deps } from "../../contract/deps.ts";
import type { Exchange } from "../../http/route.ts";

type GuideDeps = Pick<Deps, "db" | "settings">;

/** Whose values a page is shown with. */
export interface GuideValues {
  /** undefined: as they are written. */
  realm: GuideRealm | undefined;
  /** What links to other pages carry on: the realm, where the reader named it. */
  query: string;
}

/** The realm that the reader names, or the only one. Without a database the page is shown as it is written. */
export async function findValues({ db }: GuideDeps, { request }: Pick<Exchange, "request">): Promise<GuideValues> {
  const name = new URL(request.url, "http://localhost").searchParams.get("realm") ?? undefined;
  try {
    const realm = await realms.findForGuides(db, { name });
    return { realm, query: realm === undefined || name === undefined ? "" : `?realm=${realm.name}` };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { realm: undefined, query: "" };
    throw error;
  }
}

/** What stands in the guides for the values of a service and a realm. As they are written, tests execute them. */
const placeholders =
  /http:\/\/localhost:3000(\/oauth\/|\/api\/guest-token\/)?|radius\.demo\.example|demo\.example|(?<=realm[ =])demo\b|\$issuer\b|\$base_url\b/g;

/** A guide, or a file that belongs to one, with the addresses of this service and the values of a realm. */
export const withValues = ({ settings }: GuideDeps, { realm }: GuideValues, text: string): string =>
  text.replace(placeholders, (written: string, authPath: string | undefined) => {
    if (authPath !== undefined) return `${settings.authUrl}${authPath}`;
    if (written.startsWith("http:")) return settings.baseUrl;
    return realm === undefined ? written : valueFor(written, realm, settings);
  });

function valueFor(written: string, realm: GuideRealm, { baseUrl }: Deps["settings"]): string {
  const radiusName = radiusServerName(realm);
  switch (written) {
    case "radius.demo.example":
      // Nothing but a name gets into commands that people copy.
      return isDnsName(radiusName) ? radiusName : written;
    case "demo.example":
      return realm.domain;
    case "demo":
      return realm.name;
    case "$issuer":
      return realm.issuerId ?? written;
    default:
      return baseUrl;
  }
}
