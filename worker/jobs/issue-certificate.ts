import { issueCertificate as definition } from "../../domain/jobs/issue-certificate.ts";
import type { Batcher } from "../batcher.ts";
import type { IssuanceOutcome } from "../issuance.ts";
import { processor, TryAgain } from "../processor.ts";

/** One issuance, worked off together with whatever else is waiting. */
export const issueCertificate = ({ issue }: { issue: Batcher<string, IssuanceOutcome> }) =>
  processor(definition, async ({ issuanceId }) => {
    const outcome = await issue(issuanceId);
    if (outcome === "released") throw new TryAgain("the issuance went back to the queue");
    return outcome;
  });
