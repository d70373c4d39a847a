import { upstreamCallbackPath } from "../../../runtime/addresses.ts";
import type { Deps } from "../../contract/deps.ts";

/** Where identity providers send people back to: what has to be registered there. */
export const callbackAddress = ({ settings }: Pick<Deps, "settings">): string =>
  `${settings.authUrl}${upstreamCallbackPath}`;
