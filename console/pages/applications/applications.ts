import type { Schemas } from "../../api/api-client.ts";

export type Application = Schemas["Application"];
export type ApplicationType = Application["type"];
export type ApplicationScope = Application["scopes"][number];

/** The list of applications in the cache. */
export const applicationsKey = "applications";

/** One of them. */
export const applicationKey = (clientId: string) => ["application", clientId] as const;
