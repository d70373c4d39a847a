import { base } from "../../api/page-settings.ts";

/** The console is served by the authorization server itself. */
const at = (path: string): string => `${location.origin}${base}${path}`;

export const tokenUrl = (): string => at("/oauth/token");
export const authorizeUrl = (): string => at("/oauth/authorize");
