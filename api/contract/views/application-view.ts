import { z } from "zod";
import type { RegisteredApplication } from "../../../db/queries/oauth/applications.ts";
import { ApplicationType, Scope } from "../../../domain/people/scopes.ts";
import { Timestamp } from "./timestamp.ts";

export const ApplicationView = z
  .object({
    client_id: z.string(),
    type: ApplicationType,
    active: z.boolean(),
    name: z.string(),
    clientURI: z.string(),
    redirectURI: z.string().nullable().describe("The first of `redirectURIs`; null: a service."),
    redirectURIs: z.array(z.string()),
    scopes: z.array(Scope),
    useClientSecret: z.boolean(),
    requirePKCE: z.boolean(),
    fullTokenAnswers: z.boolean(),
    creationDate: Timestamp,
    createdBy: z.string(),
    lastUsed: Timestamp.nullable(),
  })
  .meta({ id: "Application" });
export type ApplicationView = z.infer<typeof ApplicationView>;

/** An application with a newly created secret, shown only this once. */
export const ApplicationWithSecretView = ApplicationView.extend({
  client_secret: z.string().optional(),
}).meta({ id: "ApplicationWithSecret" });

export const applicationView = (application: RegisteredApplication): ApplicationView => ({
  client_id: application.clientId,
  ...applicationSettingsView(application),
  creationDate: application.createdAt.toISOString(),
  createdBy: application.createdBy,
  lastUsed: application.lastUsedAt?.toISOString() ?? null,
});

/** Returns an application's registered settings, by their names on the wire. */
export const applicationSettingsView = ({
  type,
  active,
  name,
  clientUri,
  redirectUris,
  scopes,
  useClientSecret,
  requirePkce,
  fullTokenAnswers,
}: Omit<RegisteredApplication, "clientId" | "realmId" | "firstParty" | "createdAt" | "createdBy" | "lastUsedAt">) => ({
  type,
  active,
  name,
  clientURI: clientUri,
  redirectURI: redirectUris[0] ?? null,
  redirectURIs: redirectUris,
  scopes,
  useClientSecret,
  requirePKCE: requirePkce,
  fullTokenAnswers,
});
