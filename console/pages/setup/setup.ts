import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";

export type Setup = Schemas["Setup"];
export type SetupStep = Setup["steps"][number];

export const setupKey = ["setup"];

/** Short enough to show the first request of a RADIUS server soon. */
const refetchMs = 10_000;

/** Loads the state of the realm's set-up, and polls until it is finished. */
export const useSetup = (): UseQueryResult<Setup> =>
  useQuery({
    queryKey: setupKey,
    queryFn: ({ signal }) => dataOf(api.GET("/api/setup", { signal })),
    refetchInterval: ({ state }) => (state.data?.setUpAt === null ? refetchMs : false),
  });

/** Returns the id of a step in the checklist. */
export const idOfStep = (step: SetupStep["step"]): string => `set-up-${step}`;

/** Shows a step of the checklist and moves the focus to it. */
export const focusStep = (step: SetupStep["step"]): void => {
  document.getElementById(idOfStep(step))?.focus();
};

/**
 * Returns true if the only administrator keeps the role although the identity provider no longer lists them as an
 * administrator.
 */
export const isLastAdministratorKept = ({ steps }: Setup): boolean =>
  steps.some((step) => step.step === "second_administrator" && step.facts.lastAdministratorKept);
