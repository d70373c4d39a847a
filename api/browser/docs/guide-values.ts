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

/**
 * A guide, or a file that belongs to one, with the addresses of this service and the values of a realm. As they are
 * written, they are executed by tests.
 */
export function withValues({ settings }: GuideDeps, { realm }: GuideValues, text: string): string {
  const here = text
    .replace(/http:\/\/localhost:3000(?=\/oauth\/|\/api\/guest-token\/)/g, () => settings.authUrl)
    .replaceAll("http://localhost:3000", () => settings.baseUrl);
  if (realm === undefined) return here;
  const { name, domain, issuerId } = realm;
  const radiusName = radiusServerName(realm);
  return (
    here
      // Nothing but a name gets into commands that people copy.
      .replaceAll("radius.demo.example", isDnsName(radiusName) ? radiusName : "radius.demo.example")
      .replace(/(?<!radius\.)demo\.example/g, domain)
      .replace(/(?<=realm[ =])demo\b/g, name)
      .replace(/\$issuer\b/g, issuerId ?? "$issuer")
      .replace(/\$base_url\b/g, () => settings.baseUrl)
  );
}
