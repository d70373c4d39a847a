import { useTranslation } from "react-i18next";
import type { JobRow } from "./job.ts";

/** What is wrong with a row. */
export interface Problem {
  /** Whom the row is about, as far as it says. */
  person: string;
  /** The column that is wrong, if it is one. */
  column: string | undefined;
  reason: string;
}

/** What the service says of a cell or a row that cannot be used, and our words for it. */
const patterns: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/^must be a whole number from (?<from>\d+) to (?<to>\d+)$/, "wholeNumber"],
  [/^must be one of (?<values>.+)$/, "oneOf"],
  [/^must have (?<from>\d+) to (?<to>\d+) characters$/, "length"],
  [/^must be (?<from>\d+) to (?<to>\d+) characters$/, "length"],
  [/^must not contain control characters$/, "controlCharacters"],
  [/^must be a decimal identifier$/, "identifier"],
  [/^must be text$/, "text"],
  [/^is missing$/, "missing"],
  [/^occurs twice$/, "twice"],
  [/^The row has more cells than the header/, "tooManyCells"],
  [/no JSON object|not valid JSON|no JSON/, "noObject"],
  [/^The line is longer than/, "tooLong"],
];

/** Says of rows that failed, or would, what is wrong with them. */
export function useProblem(): (row: JobRow) => Problem {
  const { t, i18n } = useTranslation();

  const worded = (reason: string): string => {
    for (const [pattern, key] of patterns) {
      const found = pattern.exec(reason);
      if (found !== null) return t(`jobs.problem.${key}`, found.groups ?? {});
    }
    return reason;
  };

  return ({ error, message, pairwiseID, userID, email }) => {
    const person = pairwiseID ?? userID ?? email ?? "";
    if (error === "invalid_row") {
      const [, column, reason] = /^([A-Za-z]+(?: or [A-Za-z]+)?): (.+)$/s.exec(message ?? "") ?? [];
      return { person, column: column?.replace(" or ", t("jobs.refused.or")), reason: worded(reason ?? message ?? "") };
    }
    const key = `jobs.rowErrors.${error ?? "internal_error"}`;
    const row = /row (\d+)$/.exec(message ?? "")?.[1];
    return { person, column: undefined, reason: i18n.exists(key) ? t(key, { row }) : (message ?? "") };
  };
}
