import { z } from "zod";

/** The settings that `--clear` resets, by the name of the option that sets them. */
const resettableSettings = [
  "infrastructure-domain",
  "radius-ca",
  "radius-address",
  "radius-name",
  "rcoi",
  "key-type",
  "forget-after-months",
  "upstream-issuer",
  "upstream-client-id",
  "upstream-client-secret",
  "claim-pairwise-id",
  "claim-email",
  "claim-display-name",
  "claim-administrator",
  "claim-role",
  "may-use",
  "vlan-rule",
  "vlan-default",
  "scim-attribute",
] as const;
export type ResettableSetting = (typeof resettableSettings)[number];

const must = `must name settings, separated by commas, out of ${resettableSettings.join(", ")}`;

/** The value of `--clear`: names of settings, separated by commas. */
export const ResetSettings = z
  .string()
  .transform((names) => names.split(","))
  .pipe(z.array(z.enum(resettableSettings, { error: must })))
  .transform((names): ReadonlySet<ResettableSetting> => new Set(names));
