import { z } from "zod";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";

/** Settings of a realm that the operator alone changes, for administrators to read. */
export const RealmSettingsView = z
  .object({
    forgetAfterMonths: z
      .int()
      .nullable()
      .describe("People who were offboarded longer ago are forgotten (`operator realm set`); null: nobody is."),
  })
  .meta({ id: "RealmSettings" });
export type RealmSettingsView = z.infer<typeof RealmSettingsView>;

export const realmSettingsView = ({ forgetAfterMonths }: RealmRow): RealmSettingsView => ({ forgetAfterMonths });
