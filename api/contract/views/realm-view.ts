import { z } from "zod";
import type { Realm } from "../../../domain/realm.ts";

/** A realm on the wire; `maxValid` is in months. */
export const RealmView = z
  .object({
    realmName: z.string(),
    displayName: z.string(),
    logoURI: z.string(),
    maxProfiles: z.int(),
    maxValid: z.int(),
  })
  .meta({ id: "Realm" });
export type RealmView = z.infer<typeof RealmView>;

export const realmView = ({ name, displayName, logoUri, maxProfiles, maxValidMonths }: Realm): RealmView => ({
  realmName: name,
  displayName,
  logoURI: logoUri,
  maxProfiles,
  maxValid: maxValidMonths,
});
