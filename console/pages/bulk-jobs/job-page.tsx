import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconClock } from "../../ui/icons.tsx";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../domain/bulk-job/job.ts";
import { Allowed } from "../../session/allowed.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Page } from "../../ui/page.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { CancelButton } from "./cancel-button.tsx";
import { CountCards } from "./count-cards.tsx";
import { GraceStage } from "./run/grace-stage.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobNotices } from "./job-notices.tsx";
import { JobResult } from "./results/job-result.tsx";
import { canBeCancelled, isFinal, type Job } from "./job.ts";
import { kindTexts } from "./kind-texts.ts";
import { kindsOnPage } from "./kinds.ts";
import { LatestFailures } from "./run/latest-failures.tsx";
import { NotificationButton } from "./run/notification-button.tsx";
import { PeopleList } from "./plan/people-list.tsx";
import { ProblemSection } from "./plan/problem-section.tsx";
import { ProgressBar } from "./run/progress-bar.tsx";
import { QueuePlace } from "./run/queue-place.tsx";
import { StartForm } from "./plan/start-form.tsx";
import { StepList } from "./step-list.tsx";
import { shownState, stepOf, stepsMade } from "./steps.ts";
import { useJob } from "./run/use-job.ts";

/** Shows one bulk job in any state: a user who reloads the page continues at the same step. */
export function JobPage() {
  const { id = "" } = useParams({ strict: false });
  return <ShownJob key={id} id={id} />;
}

function ShownJob({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data: job, error, refetch } = useJob(id);
  if (job === undefined)
    return (
      <Page title={t("jobs.job")}>
        {error === null ? (
          <Skeleton height={200} radius="md" role="status" aria-label={t("shell.loading")} />
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )}
        <Group>
          <Button component={Link} to="/jobs" variant="default">
            {t("jobs.allJobs")}
          </Button>
        </Group>
      </Page>
    );
  const running = canBeCancelled(job) && job.state !== "ready";
  return (
    <Page
      title={t(kindTexts(job.kind).title)}
      lead={
        <>
          <StatusBadge status={shownState(job)} />
          {job.name !== null && (
            <Text component="span" ml="sm" style={{ overflowWrap: "anywhere" }}>
              {job.name}
            </Text>
          )}
        </>
      }
      actions={
        running && (
          <>
            <NotificationButton />
            <Allowed to="changeJob">
              <CancelButton job={job} />
            </Allowed>
          </>
        )
      }
    >
      <StepList current={stepOf(job)} made={stepsMade(job)} selected={job.origin === "filter"} />
      <JobNotices job={job} />
      <Stage job={job} />
      <JobFacts job={job} />
    </Page>
  );
}

/** Shows a job's current stage and its actions. */
function Stage({ job }: { job: Job }) {
  const { t } = useTranslation();
  if (isFinal(job)) return <JobResult job={job} />;
  switch (job.state) {
    case "checking":
      return (
        <Stack gap="lg">
          <ProgressBar job={job} />
          <CheckCounts job={job} />
          <Text size="sm" c="dimmed">
            {t(job.dryRun ? "jobs.checking" : "jobs.checkingThenRuns")}
          </Text>
        </Stack>
      );
    case "ready":
      return (
        <Stack gap="lg">
          <CheckCounts job={job} />
          <Allowed to="changeJob">
            <StartForm job={job} />
          </Allowed>
          <PeopleList job={job} />
          <ProblemSection job={job} title={t("jobs.problem.title")} />
        </Stack>
      );
    case "grace":
      return <GraceStage job={job} />;
    case "scheduled":
      return (
        <Stack gap="lg">
          <Alert color="cyan" icon={<IconClock aria-hidden />} title={t("jobs.scheduled.title")} role="status">
            {t("jobs.scheduled.text")}
          </Alert>
          <CheckCounts job={job} />
          <PeopleList job={job} />
        </Stack>
      );
    case "queued":
      return <QueuePlace job={job} />;
    default:
      return (
        <Stack gap="lg">
          <ProgressBar job={job} />
          <Text size="sm" c="dimmed">
            {job.state === "cancelling" ? t("jobs.cancelling") : t("jobs.leavingIsSafe")}
          </Text>
          <LatestFailures job={job} />
        </Stack>
      );
  }
}

function CheckCounts({ job }: { job: Job }) {
  const { counts } = kindsOnPage[job.kind];
  const { affectedProfiles: profiles, skipped } = job;
  return (
    <CountCards
      counts={[
        { name: counts.willChange, value: job.changed },
        ...(profiles === null || kindsOfJob[job.kind].of === "profiles"
          ? []
          : [{ name: "profilesRevoked", value: profiles } as const]),
        { name: counts.isSo, value: job.unchanged },
        { name: "problems", value: job.failed },
        ...(skipped > 0 ? [{ name: "skipped", value: skipped } as const] : []),
      ]}
    />
  );
}
