import * as onboardingSteps from "../../../db/queries/issuance/onboarding-steps.ts";
import { endpoint } from "../../contract/endpoint.ts";
import {
  OnboardingPictureView,
  onboardingPictureView,
  type OnboardingPicture,
} from "../../contract/views/pictures/onboarding-picture-view.ts";
import { keptCounts } from "./kept-counts.ts";

export const getOnboardingPicture = endpoint({
  operation: "getOnboardingPicture",
  summary: "From the request to the network, by kind of device",
  description:
    "How many profiles users asked for in the last 30 days, and how many of these were made, fetched and seen: of the latest 100,000 profiles at most; up to 10 minutes old.",
  method: "get",
  path: "/api/overview/onboarding",
  access: "staff",
  scope: "realm.read",
  furtherScopes: ["profile.read"],
  data: OnboardingPictureView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock } }) {
    const picture = await kept(db, realmId, async () => {
      const at = clock.now();
      const daysAgo = new Date(at.getTime() - daysShown * 86_400_000);
      const bound = await onboardingSteps.findBound(db, { realmId, since: daysAgo, most: profilesMax });
      const since = bound ?? daysAgo;
      return { at, since, devices: await onboardingSteps.count(db, { realmId, since }) };
    });
    return onboardingPictureView(picture);
  },
});

/** The count reads every profile that it counts, so its result is kept. */
const kept = keptCounts<OnboardingPicture>({ keptSeconds: 600, renewedAfterSeconds: 60 });

const daysShown = 30;
const profilesMax = 100_000;
