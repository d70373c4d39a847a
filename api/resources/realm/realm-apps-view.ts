import { z } from "zod";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { DeviceType, KeyType } from "../../../domain/certificate/device.ts";
import { appsPath } from "../../../domain/onboarding-apps.ts";

/** The settings for apps and device files that an administrator can change. */
const ChangeableApps = z.object({
  onboardingApps: z.boolean().describe("Whether people may fetch profiles with the geteduroam apps."),
  appsListing: z.string().describe("The name under which the apps list the realm; empty: people type the address."),
  radiusNames: z.array(z.string()).describe("Names in the certificates of RADIUS servers, beside `radiusCN`."),
  rcois: z
    .array(z.string())
    .describe("Roaming consortium identifiers (Passpoint), the preferred one first, in upper case."),
  helpMail: z.string().describe("Where people ask for help, in `eap-config` files; empty: nowhere."),
  helpPhone: z.string().describe("The number that people call for help, in `eap-config` files; empty: none."),
  reminderLead: z
    .int()
    .describe(
      "How many days before the end of a profile the apps' reminder counts as its end; at most a third of its validity.",
    ),
  keyTypes: z
    .partialRecord(DeviceType, KeyType)
    .describe("The type of the key for kinds of devices that do not get the default."),
});
type ChangeableApps = z.infer<typeof ChangeableApps>;

/** All settings for apps and device files. */
export const RealmAppsView = ChangeableApps.extend({
  appsURL: z.string().describe("The address under which the apps find the realm."),
  locked: z
    .record(z.string(), z.string())
    .describe("The operator's command for each setting that cannot be changed here now."),
}).meta({ id: "RealmApps" });
export type RealmAppsView = z.infer<typeof RealmAppsView>;

export const changeableAppsView = (realm: RealmRow): ChangeableApps => ({
  onboardingApps: realm.onboardingApps,
  appsListing: realm.appsListing,
  radiusNames: realm.radiusNames,
  rcois: realm.rcois,
  helpMail: realm.helpMail,
  helpPhone: realm.helpPhone,
  reminderLead: realm.reminderLeadDays,
  keyTypes: realm.keyTypes,
});

export const realmAppsView = (
  realm: RealmRow,
  { authUrl, locked }: { authUrl: string; locked: Record<string, string> },
): RealmAppsView => ({ ...changeableAppsView(realm), appsURL: `${authUrl}${appsPath(realm.name)}`, locked });
