import { upstreamCallbackPath } from "../runtime/config/addresses.ts";
import { consoleCallbackPath } from "./browser/console/console-client.ts";

/**
 * URLs that contain sign-in secrets, in the path or in parameters of the query. A proxy in front of the service must
 * not log them. `docs/operations.md` has the same list.
 */
export const secretPaths: readonly { path: string; parameters?: readonly string[] }[] = [
  { path: "/sign-in/{token}" },
  { path: "/guest/{token}" },
  { path: "/d/{token}" },
  { path: "/oauth/authorize", parameters: ["state", "nonce"] },
  { path: "/letswifi/{realm}/oauth/authorize", parameters: ["state", "nonce"] },
  { path: "/oauth/logout", parameters: ["id_token", "id_token_hint"] },
  { path: upstreamCallbackPath, parameters: ["code", "state"] },
  { path: consoleCallbackPath, parameters: ["code", "state"] },
];
