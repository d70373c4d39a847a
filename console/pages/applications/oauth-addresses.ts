import { base } from "../../api/page-settings.ts";

/** The authorization server itself serves the console. */
const at = (path: string): string => `${location.origin}${base}${path}`;

export const tokenUrl = (): string => at("/oauth/token");
export const authorizeUrl = (): string => at("/oauth/authorize");
