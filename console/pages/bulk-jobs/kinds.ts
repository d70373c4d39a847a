import type { JobKind } from "../../../domain/bulk-job/job.ts";

/** The keys below `jobs.counts`. */
export type CountName =
  | "willChange"
  | "willLoseAccess"
  | "willReturn"
  | "willBeRevoked"
  | "profilesRevoked"
  | "alreadySo"
  | "alreadyOffboarded"
  | "alreadyRevoked"
  | "problems"
  | "changed"
  | "lostAccess"
  | "returned"
  | "revoked"
  | "unchanged"
  | "failed"
  | "skipped";

interface KindOnPage {
  /** The colour for rows that will change; a removal of access is never green. */
  color: "teal" | "red";
  /** The colour of the finished rows in the bar of a running job. */
  bar: "teal.7" | "gray.6";
  /** The things whose share of the realm the start form shows; empty for an onboarding. */
  touches: readonly ("people" | "profiles")[];
  /** The counts to show before and after the job runs. */
  counts: Readonly<Record<"willChange" | "isSo" | "changed" | "wasSo", CountName>>;
}

/** The look of each kind of job. The texts are in `kind-texts.ts`. */
export const kindsOnPage: Readonly<Record<JobKind, KindOnPage>> = {
  onboarding: {
    color: "teal",
    bar: "teal.7",
    touches: [],
    counts: { willChange: "willChange", isSo: "alreadySo", changed: "changed", wasSo: "unchanged" },
  },
  offboarding: {
    color: "red",
    bar: "gray.6",
    touches: ["people", "profiles"],
    counts: {
      willChange: "willLoseAccess",
      isSo: "alreadyOffboarded",
      changed: "lostAccess",
      wasSo: "alreadyOffboarded",
    },
  },
  reactivation: {
    color: "teal",
    bar: "teal.7",
    touches: ["people"],
    counts: { willChange: "willReturn", isSo: "alreadySo", changed: "returned", wasSo: "unchanged" },
  },
  revocation: {
    color: "red",
    bar: "gray.6",
    touches: ["profiles"],
    counts: { willChange: "willBeRevoked", isSo: "alreadyRevoked", changed: "revoked", wasSo: "alreadyRevoked" },
  },
};
