import { z } from "zod";

/** What can be taken back, by the name that it is set with. */
const clearable = [
  "radius-ca",
  "upstream-issuer",
  "upstream-client-id",
  "upstream-client-secret",
  "claim-pairwise-id",
  "claim-email",
  "claim-display-name",
  "claim-administrator",
] as const;
export type Clearable = (typeof clearable)[number];

const must = `must name settings, separated by commas, out of ${clearable.join(", ")}`;

/** Names of settings, separated by commas. */
export const ClearedSettings = z
  .string()
  .transform((names) => names.split(","))
  .pipe(z.array(z.enum(clearable, { error: must })))
  .transform((names): ReadonlySet<Clearable> => new Set(names));
