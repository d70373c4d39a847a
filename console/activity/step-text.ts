import { useTranslation } from "react-i18next";
import { useMay, type Deed } from "../session/may.ts";
import type { Schemas } from "../api/api-client.ts";
import type { Diagnosis } from "./activity.ts";

type NextStep = Diagnosis["next"][number];

/** The right that a step needs. If the reader lacks it, the step's text names the people who can do the step. */
const rightFor: Partial<Record<NextStep, Deed>> = {
  reactivate: "reactivate",
  unlock: "unlock",
  raise_limit: "changeLimit",
  check_radius: "infrastructure",
};

/**
 * Returns a function that describes a next step according to the reader's rights. With `isFirst`, the person has never
 * had a device, so the text does not mention setting up again.
 */
export function useStepText({
  kind,
  isFirst,
}: {
  kind: Schemas["ProfileActivity"]["kind"];
  isFirst: boolean;
}): (step: NextStep) => string {
  const { t } = useTranslation();
  const may = useMay();
  return (step) => {
    if (step === "set_up_anew" && kind !== "guest") {
      const who = may("createProfile") ? "create" : may("offerSetUp") ? "offer" : "none";
      return `${t(`diagnosis.setUp.${isFirst ? "first" : "again"}`)} ${t(`diagnosis.setUp.${who}`)}`;
    }
    const right = rightFor[step];
    const context = right === undefined || may(right) ? kind : "without";
    return t(`diagnosis.steps.${step}`, { context });
  };
}
