import { Grid, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { loadPart } from "../../ui/load-file.ts";
import { Page } from "../../ui/page.tsx";
import { NewJobButtons } from "../bulk-jobs/new-job-buttons.tsx";
import { isLastAdministratorKept, useSetup } from "../setup/setup.ts";
import { NumberCards } from "./number-cards.tsx";
import { useOverview, type Overview, type Period } from "./overview.ts";
import { RunningJobs } from "./running-jobs.tsx";
import { Warnings } from "./warnings.tsx";
import { ZoneQuestion } from "./zone-question.tsx";

// Loaded only on demand, because a realm that is set up does not need the checklist.
const SetUpRealm = lazy(() => loadPart(() => import("../setup/set-up-realm.tsx")));

// Loaded after the numbers.
const Pictures = lazy(() => loadPart(() => import("./pictures/pictures.tsx")));
const Activity = lazy(() => loadPart(() => import("./activity.tsx")));
const LatestEntries = lazy(() => loadPart(() => import("./latest-entries.tsx")));

/** Shows the realm at a glance, with the checklist until its set-up is finished. */
export function DashboardPage() {
  const { t } = useTranslation();
  const [period, setPeriod] = useState<Period>("24h");
  const { data: overview, error, refetch } = useOverview(period);
  const { data: setup, error: setupError, refetch: refetchSetup } = useSetup();
  const isNew = setup?.setUpAt === null;
  return (
    <Page title={t("nav.dashboard")} actions={<NewJobButtons />}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {setupError !== null && <ErrorNotice error={setupError} onRetry={() => void refetchSetup()} />}
      {overview === undefined || (setup === undefined && setupError === null) ? (
        error === null && <Loading />
      ) : (
        <Stack gap="lg">
          <ZoneQuestion />
          <Warnings
            warnings={overview.warnings}
            heldJob={overview.jobs.inGrace.find(({ revokeAt }) => revokeAt === null)}
            isLastAdministratorKept={setup !== undefined && isLastAdministratorKept(setup)}
          />
          {isNew && (
            <Suspense fallback={<Skeleton height={340} radius="md" role="status" aria-label={t("shell.loading")} />}>
              <SetUpRealm setup={setup} />
            </Suspense>
          )}
          {!(isNew && isEmpty(overview)) && (
            <>
              <NumberCards overview={overview} />
              <Suspense fallback={<Skeleton height={340} radius="md" role="status" aria-label={t("shell.loading")} />}>
                <Pictures />
              </Suspense>
              <Grid gap="lg">
                <Grid.Col span={{ base: 12, lg: 8 }}>
                  <Suspense
                    fallback={<Skeleton height={340} radius="md" role="status" aria-label={t("shell.loading")} />}
                  >
                    <Activity series={overview.series} period={period} onPeriod={setPeriod} />
                  </Suspense>
                </Grid.Col>
                <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: -1, lg: 0 }}>
                  <RunningJobs jobs={overview.jobs} />
                </Grid.Col>
              </Grid>
              <Suspense fallback={<Skeleton height={340} radius="md" role="status" aria-label={t("shell.loading")} />}>
                <LatestEntries />
              </Suspense>
            </>
          )}
        </Stack>
      )}
    </Page>
  );
}

/**
 * Returns true if the realm seems to have issued no profile yet; the page then shows the checklist without the numbers.
 */
const isEmpty = ({ profiles, jobs }: Overview): boolean =>
  profiles.active === 0 && profiles.issued.last7Days === 0 && jobs.running === 0;

function Loading() {
  const { t } = useTranslation();
  return (
    <Stack gap="lg" role="status" aria-label={t("shell.loading")}>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        {[0, 1, 2, 3].map((card) => (
          <Skeleton key={card} height={130} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton height={340} radius="md" />
    </Stack>
  );
}
