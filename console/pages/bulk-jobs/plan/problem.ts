import { useTranslation } from "react-i18next";
import { cellFaults, hiddenRowFault } from "../../../../domain/bulk-job/input/cell-faults.ts";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { useNumber } from "../counts.ts";
import type { Job, JobKind, JobProblem, JobRow } from "../job.ts";

/** The fault of a row. */
export interface Problem {
  /** The faulty column, if there is one. */
  column: string | undefined;
  reason: string;
}

/** The service's messages about an unusable cell or row, with the keys of the page's texts for them. */
const patterns: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/^must be a whole number from (?<from>\d+) to (?<to>\d+)$/, "wholeNumber"],
  [/^must be one of (?<values>.+)$/, "oneOf"],
  [/^must have (?<from>\d+) to (?<to>\d+) characters$/, "length"],
  [/^must be (?<from>\d+) to (?<to>\d+) characters$/, "length"],
  [/^must not contain control characters$/, "controlCharacters"],
  [/^must be a decimal identifier$/, "identifier"],
  [/^must be text$/, "text"],
  [/^is no address$/, "address"],
  [/^The row has more than one cell/, "tooManyCells"],
  [/^is missing$/, "missing"],
  [/(?:^|A cell )holds (?<breaks>\d+) line breaks?\.?$/, "lineBreaks"],
  ...Object.entries(cellFaults).map(([fault, sentence]): [RegExp, string] => [
    new RegExp(`^${sentence}$`),
    `cell.${fault}`,
  ]),
  [/^occurs twice$/, "twice"],
  [/^The row has more cells than the header/, "tooManyCells"],
  [/no JSON object|not valid JSON|no JSON/, "noObject"],
  [/^The line is longer than/, "tooLong"],
  [new RegExp(`^${hiddenRowFault}$`), "hidden"],
];

/**
 * Returns a function that translates the service's message about a cell or row, and returns an unknown message
 * unchanged.
 */
function useReason(): (reason: string) => string {
  const { t } = useTranslation();
  return (reason) => {
    for (const [pattern, key] of patterns) {
      const found = pattern.exec(reason);
      if (found !== null) return t(`jobs.problem.${key}`, found.groups ?? {});
    }
    return reason;
  };
}

/**
 * Returns the key of the text for an error. An onboarding reports an unknown person only if the row contains an address
 * and no identifier.
 */
const rowErrorKey = (kind: JobKind, error: string | null): string =>
  error === "user_not_found" && kind === "onboarding"
    ? "jobs.rowErrors.user_not_found_onboarding"
    : `jobs.rowErrors.${error ?? "internal_error"}`;

/**
 * Returns a function that describes the fault of a row that failed or would fail. Numbers rows as the file's author
 * does.
 */
export function useProblem({
  kind,
  rowOffset,
}: Pick<Job, "kind" | "rowOffset">): (row: Pick<JobRow, "error" | "message">) => Problem {
  const { t, i18n } = useTranslation();
  const number = useNumber();
  const worded = useReason();
  return ({ error, message }) => {
    if (error === "invalid_row") {
      const [, column, reason] = /^([A-Za-z]+(?: or [A-Za-z]+)*): (.+)$/s.exec(message ?? "") ?? [];
      return {
        column: column?.replaceAll(" or ", t("jobs.refused.or")),
        reason: worded(reason ?? message ?? ""),
      };
    }
    const key = error === "duplicate_row" ? `jobs.about.${kindsOfJob[kind].of}.duplicate` : rowErrorKey(kind, error);
    const first = /row (\d+)$/.exec(message ?? "")?.[1];
    const row = first === undefined ? undefined : number(Number(first) + rowOffset);
    return { column: undefined, reason: i18n.exists(key) ? t(key, { row }) : (message ?? "") };
  };
}

/** Returns a function that describes the fault of all rows that failed for one cause. */
export function useCause({
  kind,
}: Pick<Job, "kind">): (problem: JobProblem) => { column: string | undefined; reason: string } {
  const { t, i18n } = useTranslation();
  const worded = useReason();
  return ({ error, column, message }) => {
    if (error === "invalid_row")
      return { column: column?.replaceAll(" or ", t("jobs.refused.or")), reason: worded(message) };
    const key = error === "duplicate_row" ? `jobs.about.${kindsOfJob[kind].of}.duplicates` : rowErrorKey(kind, error);
    return { column: undefined, reason: i18n.exists(key) ? t(key) : message };
  };
}
