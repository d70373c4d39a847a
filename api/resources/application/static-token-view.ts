import { z } from "zod";
import type { StaticToken } from "../../../db/queries/oauth/static-tokens.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

export const StaticTokenView = z
  .object({
    id: z.uuid(),
    name: z.string().nullable(),
    networks: z.array(z.string()).describe("Where calls may come from. Empty: from everywhere."),
    createdAt: Timestamp,
    createdBy: z.string(),
    expiresAt: Timestamp.nullable().describe("null: it lasts until it is deleted."),
    lastUsedAt: Timestamp.nullable().describe("To the minute."),
  })
  .meta({ id: "StaticToken" });

/** A newly created token, shown only this once. */
export const StaticTokenWithSecretView = StaticTokenView.extend({ token: z.string() }).meta({
  id: "StaticTokenWithSecret",
});

export const staticTokenView = (token: StaticToken): z.infer<typeof StaticTokenView> => ({
  id: token.id,
  name: token.name,
  networks: token.networks,
  createdAt: token.createdAt.toISOString(),
  createdBy: token.createdBy,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
});
