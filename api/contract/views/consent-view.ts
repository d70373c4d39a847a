import { z } from "zod";
import type { Consent } from "../../../db/queries/oauth/consents.ts";
import { Scope } from "../../../domain/people/scopes.ts";
import { Timestamp } from "./timestamp.ts";

/** A user's consent to an application, on the wire. */
export const ConsentView = z
  .object({
    client_id: z.string(),
    clientName: z.string(),
    clientURI: z.string(),
    scopes: z.array(Scope),
    grantedAt: Timestamp,
  })
  .meta({ id: "Consent" });
export type ConsentView = z.infer<typeof ConsentView>;

export const consentView = ({ clientId, clientName, clientUri, scopes, grantedAt }: Consent): ConsentView => ({
  client_id: clientId,
  clientName,
  clientURI: clientUri,
  scopes,
  grantedAt: grantedAt.toISOString(),
});
