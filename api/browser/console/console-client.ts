import * as applications from "../../../db/queries/oauth/applications.ts";
import { allScopes } from "../../../domain/people/scopes.ts";
import type { Deps } from "../../contract/deps.ts";

/** The path where the console's authorization requests return. */
export const consoleCallbackPath = "/console/callback";

export const consoleRedirectUri = ({ settings }: Pick<Deps, "settings">): string =>
  `${settings.authUrl}${consoleCallbackPath}`;

/** Registers or updates a realm's console as an OAuth client. Returns its id. */
export async function registerConsole(deps: Pick<Deps, "db" | "clock" | "settings">, realmId: string): Promise<string> {
  await applications.upsertConsole(deps.db, {
    realmId,
    clientUri: deps.settings.authUrl,
    redirectUri: consoleRedirectUri(deps),
    scopes: allScopes,
    at: deps.clock.now(),
  });
  return applications.consoleClientId(realmId);
}
