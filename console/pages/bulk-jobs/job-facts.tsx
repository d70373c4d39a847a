import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useDuration, useNumber } from "./counts.ts";
import { Creator } from "./creator.tsx";
import type { Job } from "./job.ts";
import { useMatchingWords } from "./matching-words.ts";

/** Shows facts about a job in addition to its counts. */
export function JobFacts({ job }: { job: Job }) {
  const { t } = useTranslation();
  const number = useNumber();
  const duration = useDuration();
  const matchingWords = useMatchingWords();
  const { matching, createdBy, createdAt, startedAt, finishedAt, total, undoOf, undoneBy } = job;
  const related = [
    ...(undoOf === null ? [] : [{ id: undoOf, text: t("jobs.undo.undoOf") }]),
    ...(undoneBy === null ? [] : [{ id: undoneBy, text: t("jobs.undo.undoneBy") }]),
  ];
  const seconds =
    startedAt === null || finishedAt === null ? undefined : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
  return (
    <Facts
      facts={[
        ...(matching === null ? [] : [[t("jobs.facts.matching"), matchingWords(matching)] as const]),
        [t("jobs.facts.rows"), number(total)],
        [t("jobs.facts.createdBy"), <Creator key="creator" createdBy={createdBy} />],
        [t("jobs.facts.created"), <Time key="created" at={createdAt} relative />],
        ...(startedAt === null ? [] : [[t("jobs.facts.started"), <Time key="started" at={startedAt} />] as const]),
        ...(finishedAt === null ? [] : [[t("jobs.facts.finished"), <Time key="finished" at={finishedAt} />] as const]),
        ...related.map(
          ({ id, text }) =>
            [
              t("jobs.facts.related"),
              <AnchorLink key={id} to="/jobs/$id" params={{ id }} inherit>
                {text}
              </AnchorLink>,
            ] as const,
        ),
        ...(seconds === undefined ? [] : [[t("jobs.facts.duration"), duration(seconds)] as const]),
      ]}
    />
  );
}
