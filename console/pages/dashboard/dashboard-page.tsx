import { Grid, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Page } from "../../ui/page.tsx";
import { NewJobButtons } from "../bulk-jobs/new-job-buttons.tsx";
import { Activity } from "./activity.tsx";
import { LatestEntries } from "./latest-entries.tsx";
import { NumberCards } from "./number-cards.tsx";
import { useOverview, type Overview, type Period } from "./overview.ts";
import { RunningJobs } from "./running-jobs.tsx";
import { Warnings } from "./warnings.tsx";
import { Welcome } from "./welcome.tsx";

/** The realm at a glance. */
export function DashboardPage() {
  const { t } = useTranslation();
  const [period, setPeriod] = useState<Period>("24h");
  const { data: overview, error, refetch } = useOverview(period);
  return (
    <Page title={t("nav.dashboard")} actions={<NewJobButtons />}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {overview === undefined ? (
        error === null && <Loading />
      ) : (
        <Stack gap="lg">
          <Warnings warnings={overview.warnings} />
          {isEmpty(overview) && <Welcome />}
          <NumberCards overview={overview} />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 8 }}>
              <Activity series={overview.series} period={period} onPeriod={setPeriod} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: -1, lg: 0 }}>
              <RunningJobs jobs={overview.jobs} />
            </Grid.Col>
          </Grid>
          <LatestEntries />
        </Stack>
      )}
    </Page>
  );
}

/** Whether the realm has no user but the one who looks and, as far as the numbers tell, nothing was ever issued. */
const isEmpty = ({ users, profiles }: Overview): boolean =>
  users.active + users.locked + users.offboarded <= 1 && profiles.active === 0 && profiles.issued.last7Days === 0;

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
