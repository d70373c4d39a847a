import { DatabaseUnavailable } from "../../../db/outage.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { GuideRealm } from "../../../db/queries/realm/realms.ts";
import { isDnsName } from "../../../domain/certificate/certificate-profile.ts";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import type { Deps } from "../../contract/deps.ts";
import type { Exchange } from "../../http/route.ts";

type GuideDeps = Pick<Deps, "db" | "settings">;

/** The values that a page shows. */
export interface GuideValues {
  /** Undefined: the examples as written. */
  realm: GuideRealm | undefined;
  /** The query that links to other pages carry along: the realm, if the reader named it. */
  query: string;
}

/**
 * Returns the realm that the reader names, or the only one. Without a database the page shows the examples as written.
 */
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

/** The guides' placeholders for the values of a service and a realm. Tests execute the guides as written. */
const placeholders =
  /http:\/\/localhost:3000(\/oauth\/|\/api\/guest-token\/)?|radius\.demo\.example|demo\.example|(?<=realm[ =])demo\b|\$issuer\b|\$base_url\b/g;

/**
 * Replaces the placeholders of a guide, or of one of its files, with this service's addresses and the realm's values.
 */
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
      // Users copy these commands: only a valid name may be inserted.
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
