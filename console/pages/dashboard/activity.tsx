import { Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ChoiceButtons } from "../../ui/form/choice-buttons.tsx";
import Bars from "../../ui/picture/bars.tsx";
import { Picture } from "../../ui/picture/picture.tsx";
import { useNumber } from "../bulk-jobs/counts.ts";
import type { Job } from "../bulk-jobs/job.ts";
import { useJobTitle } from "../bulk-jobs/job-title.ts";
import { useActivitySummary, useBucketName } from "./activity-words.ts";
import { useBegunJobs } from "./begun-jobs.ts";
import { JobLink } from "./job-marks.tsx";
import { periods, type Period, type Series } from "./overview.ts";

/**
 * Shows the profiles issued and revoked in each hour or day, and the bulk jobs that began in that time. A bar opens its
 * entries in the audit log.
 */
export default function Activity({
  series,
  period,
  onPeriod,
}: {
  series: Series;
  period: Period;
  onPeriod: (period: Period) => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const summaryOf = useActivitySummary();
  const nameOf = useBucketName();
  const titleOf = useJobTitle();
  const number = useNumber();
  const { buckets, bucketSeconds } = series;
  const begun = useBegunJobs(buckets[0]?.from);
  const { data: jobs = [], total = jobs.length } = begun.data ?? {};

  const title = t("dashboard.activity.title");
  const untilOf = (from: string): number => Date.parse(from) + bucketSeconds * 1_000;
  const bucketOf = ({ startedAt }: Job): number =>
    buckets.findLastIndex(({ from }) => startedAt !== null && from <= startedAt);
  const jobText = (job: Job): string =>
    t("dashboard.activity.job", { job: titleOf(job), count: job.total, formatted: number(job.total) });
  const marked = jobs.map((job) => ({ job, at: bucketOf(job) })).filter(({ at }) => at >= 0);
  const jobsAt = (index: number): Job[] => marked.filter(({ at }) => at === index).map(({ job }) => job);

  return (
    <Picture
      title={title}
      loaded={{ data: series, error: begun.error, refetch: begun.refetch }}
      choices={
        <ChoiceButtons
          label={t("dashboard.activity.period")}
          value={period}
          choices={periods.map((value) => ({ value, label: t(`dashboard.activity.periods.${value}`) }))}
          onChange={onPeriod}
        />
      }
      summary={(shown) => [summaryOf(shown), t("dashboard.activity.sides")].join(" ")}
      chart={() => (
        <Bars
          label={title}
          bars={buckets.map(({ from, issued, revoked }, index) => ({
            key: from,
            name: [
              t("dashboard.activity.bucket", {
                when: nameOf(series, from),
                issued: number(issued),
                revoked: number(revoked),
              }),
              ...jobsAt(index).map(jobText),
            ].join("; "),
            up: issued,
            down: revoked,
          }))}
          marks={{
            label: t("nav.jobs"),
            items: marked.map(({ job, at }) => ({
              key: job.id,
              at,
              label: <JobLink id={job.id} text={jobText(job)} />,
            })),
          }}
          onOpen={(index) => {
            const from = buckets[index]?.from;
            if (from === undefined) return;
            const maxDate = new Date(untilOf(from) - 1).toISOString();
            void navigate({ to: "/audit", search: { event: counted, minDate: from, maxDate } });
          }}
        />
      )}
      table={() => ({
        columns: [
          t(bucketSeconds < 86_400 ? "dashboard.activity.hour" : "dashboard.activity.day"),
          t("dashboard.activity.issued"),
          t("dashboard.activity.revoked"),
          ...(marked.length > 0 ? [t("nav.jobs")] : []),
        ],
        rows: buckets.map(({ from, issued, revoked }, index) => ({
          key: from,
          cells: [
            nameOf(series, from),
            number(issued),
            number(revoked),
            ...(marked.length > 0
              ? [
                  <Stack key="jobs" gap={0}>
                    {jobsAt(index).map((job) => (
                      <JobLink key={job.id} id={job.id} text={jobText(job)} />
                    ))}
                  </Stack>,
                ]
              : []),
          ],
        })),
      })}
    >
      {() =>
        total > jobs.length && (
          <AnchorLink to="/jobs" size="sm">
            {t("dashboard.activity.moreJobs", { count: total - jobs.length, formatted: number(total - jobs.length) })}
          </AnchorLink>
        )
      }
    </Picture>
  );
}

/** The audit events that the chart counts, in the form of the audit log's filter. */
const counted = "profile_create,profile_revoke,user_offboard";
