import { upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import type { Deps } from "../../contract/deps.ts";

/** Returns the redirect URI to register at identity providers. */
export const callbackAddress = ({ settings }: Pick<Deps, "settings">): string =>
  `${settings.authUrl}${upstreamCallbackPath}`;
