import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, listOf } from "../../api/api-client.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { jobsKey } from "../bulk-jobs/job.ts";

/** Shows how many of a person's bulk jobs are waiting to run; offboarding the person stops these jobs. */
export function WaitingJobs({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: [jobsKey, "waiting", userID],
    queryFn: ({ signal }) =>
      listOf(
        api.POST("/api/jobs", {
          body: { limit: 1, offset: 0, filter: { createdBy: userID, state: "scheduled,queued" } },
          signal,
        }),
      ),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.total === 0) return null;
  return (
    <Text size="sm" fw={600} mt="xs">
      {t("users.offboard.jobs", { count: data.total })}
    </Text>
  );
}
