import { useTranslation } from "react-i18next";
import type { Fact } from "../ui/value/facts.tsx";
import { Time } from "../ui/value/time.tsx";
import type { ProfileActivity } from "./activity.ts";
import { LastCheck } from "./last-check.tsx";

type Checks = Pick<ProfileActivity, "firstCheckAt" | "lastCheck" | "otherCheckAt" | "firstRefusedAt">;

/**
 * Returns the times of a profile's status checks, and whether a check was refused. `checks` is undefined until it is
 * loaded.
 */
export function useCheckFacts(checks: Checks | undefined): Fact[] {
  const { t } = useTranslation();
  const time = (key: "firstCheck" | "otherCheck" | "firstRefusal", at: string | null | undefined): Fact[] =>
    at === null || at === undefined ? [] : [[t(`activity.${key}`), <Time key={key} at={at} />]];
  return [
    ...time("firstCheck", checks?.firstCheckAt),
    [t("activity.lastCheck"), <LastCheck key="lastCheck" check={checks?.lastCheck} />],
    ...time("otherCheck", checks?.otherCheckAt),
    ...time("firstRefusal", checks?.firstRefusedAt),
  ];
}
