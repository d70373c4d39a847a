import type { Schemas } from "../../api/api-client.ts";

export type Application = Schemas["Application"];
export type ApplicationType = Application["type"];
export type ApplicationScope = Application["scopes"][number];

/** The cache key of the list of applications. */
export const applicationsKey = "applications";

/** The cache key of one application. */
export const applicationKey = (clientId: string) => ["application", clientId] as const;
