import { DatabaseUnavailable } from "../../../db/outage.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { GuideRealm } from "../../../db/queries/realm/realms.ts";
import { ClientID } from "../../../domain/ids.ts";
import { isDnsName } from "../../../domain/certificate/certificate-profile.ts";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import type { Deps } from "../../contract/deps.ts";
import type { Exchange } from "../../http/route.ts";

type GuideDeps = Pick<Deps, "db" | "settings">;

/** The values that every page shows. */
export interface PageValues {
  /** The application from whose page the reader came. It may not exist. */
  clientId: ClientID | undefined;
  /** The query to add to links to other pages: the realm and the application that the reader named. */
  query: string;
}

/** The values that a guide shows. */
export interface GuideValues extends PageValues {
  /** Undefined: the guide shows the example realm as written. */
  realm: GuideRealm | undefined;
}

/**
 * Returns the realm that the reader names, or the only one, and the application that they name. If the database is
 * unavailable there is no realm, and the page shows the example realm.
 */
export async function findValues({ db }: GuideDeps, { request }: Pick<Exchange, "request">): Promise<GuideValues> {
  const asked = new URL(request.url, "http://localhost").searchParams;
  const name = asked.get("realm") ?? undefined;
  const { data: clientId } = ClientID.safeParse(asked.get("client"));
  const realm = await findRealm(db, name);
  const carried = new URLSearchParams({
    ...(realm === undefined || name === undefined ? {} : { realm: realm.name }),
    ...(clientId === undefined ? {} : { client: clientId }),
  }).toString();
  return { realm, clientId, query: carried === "" ? "" : `?${carried}` };
}

async function findRealm(db: GuideDeps["db"], name: string | undefined): Promise<GuideRealm | undefined> {
  try {
    return await realms.findForGuides(db, { name });
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
}

/** The guides' placeholders for the values of a service and a realm. Tests execute the guides as written. */
const placeholders =
  /http:\/\/localhost:3000(\/oauth\/|\/api\/guest-token\/)?|radius\.demo\.example|demo\.example|(?<=realm[ =])demo\b|\$issuer\b|\$base_url\b/g;

/**
 * Replaces the placeholders of a guide, or of one of its files, with this service's addresses, the realm's values and
 * the reader's application.
 */
export const withValues = ({ settings }: GuideDeps, { realm, clientId }: GuideValues, text: string): string =>
  withClient(clientId, text).replace(placeholders, (written: string, authPath: string | undefined) => {
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

const registration = /^npm run --silent operator -- application create .* > client\.json\n/gm;
const registered = /\$\(node -p 'require\("\.\/client\.json"\)\.client_id'\)/g;
const secret = /^client_secret=\$\(node -p 'require\("\.\/client\.json"\)\.client_secret'\)$/gm;

/** Replaces the application that a guide registers with the reader's own, whose secret the shell asks for. */
const withClient = (clientId: ClientID | undefined, text: string): string =>
  clientId === undefined
    ? text
    : text
        .replace(registration, "")
        .replace(registered, clientId)
        .replace(secret, "echo 'What is the secret of the application?'\nread -rs client_secret");
