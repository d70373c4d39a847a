import { z } from "zod";
import * as realms from "../../../db/queries/realm/realms.ts";
import {
  AppsListing,
  FurtherRadiusNames,
  HelpMail,
  HelpPhone,
  KeyTypes,
  radiusNamesTooLong,
  Rcois,
  settingRanges,
} from "../../../domain/realm.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { changeableAppsView, RealmAppsView, realmAppsView } from "./realm-apps-view.ts";
import { appsCommands, trustCommands } from "./operator-commands.ts";
import { hasTooLongNames, refusedBy } from "./realm-settings-change.ts";
import { recordRealmUpdate } from "./record-realm-update.ts";

/** The body for changing a realm's settings for apps and device files; every property is optional. */
const RealmAppsChange = z.object({
  onboardingApps: z.boolean().optional(),
  appsListing: AppsListing.optional(),
  radiusNames: FurtherRadiusNames.optional(),
  rcois: Rcois.optional(),
  helpMail: HelpMail.optional(),
  helpPhone: HelpPhone.optional(),
  reminderLead: z.int().min(settingRanges.reminderLead[0]).max(settingRanges.reminderLead[1]).optional(),
  keyTypes: KeyTypes.optional().describe(
    "Replaces the whole table: kinds of devices that are left out get the default.",
  ),
});

export const updateRealmApps = endpoint({
  operation: "updateRealmApps",
  summary: "Change the current realm's settings for apps and files for devices",
  description:
    "Omitted properties stay. `radiusNames` are set once, before the set-up is finished; after that only the operator " +
    "changes them: `operator_required` has the command in `fields`, and nothing is changed. " +
    "With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/realm/apps",
  access: "staff",
  scope: "realm.modify",
  body: RealmAppsChange.refine((change) => Object.keys(change).length > 0, "must have a property to change"),
  data: Done,
  errors: ["operator_required", "invalid_request"],
  conditional: true,

  async handle({ body: { reminderLead, ...others }, principal, deps: { db, clock, settings }, requireMatch, fail }) {
    const { realmId } = principal;
    const change = { ...others, reminderLeadDays: reminderLead };
    await db.transaction(async (tx) => {
      const before = await realms.lock(tx, realmId);
      requireMatch(RealmAppsView.parse(realmAppsView(before, { ...settings, locked: appsCommands(before) })));
      const refused = refusedBy(before, others, change);
      if (refused.length > 0) {
        throw fail("operator_required", {
          fields: refused.map((path) => ({ path, reason: trustCommands[path](before) })),
        });
      }
      const after = await realms.update(tx, realmId, change);
      if (hasTooLongNames(after)) {
        throw fail("invalid_request", { fields: [{ path: "radiusNames", reason: radiusNamesTooLong }] });
      }
      await recordRealmUpdate(tx, {
        principal,
        at: clock.now(),
        before: changeableAppsView(before),
        after: changeableAppsView(after),
      });
    });
    return done;
  },
});
