import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconArrowBackUp } from "../../../ui/icons.tsx";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { formatTime } from "../../../ui/value/time.tsx";
import { useNumber } from "../counts.ts";
import { checkUndo, findUndo, jobKey, jobsKey, type Job } from "../job.ts";

/**
 * Shows the effect that an undo of an offboarding would have now. A button checks the undo as a new job, which the user
 * starts on that job's page.
 */
export function UndoSection({ job, title, check: checkLabel }: { job: Job; title?: string; check?: string }) {
  const { t, i18n } = useTranslation();
  const number = useNumber();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const { data, error, refetch } = useQuery({
    queryKey: [...jobKey(job.id), "undo", job.state, job.done],
    queryFn: ({ signal }) => findUndo(job.id, signal),
    enabled: job.undoUntil !== null,
  });
  const check = useMutation({
    mutationFn: () => checkUndo(job.id, key),
    async onSuccess(next) {
      queries.setQueryData(jobKey(next.id), next);
      void queries.invalidateQueries({ queryKey: [jobsKey] });
      await navigate({ to: "/jobs/$id", params: { id: next.id } });
    },
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.until === null) return null;
  const counted = (count: number) => ({ count, formatted: number(count) });
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title ?? t("jobs.undo.title")}
        </Title>
        <Text>
          {t("jobs.undo.people", counted(data.people))}{" "}
          {data.changedSince > 0 && t("jobs.undo.changed", counted(data.changedSince))}
        </Text>
        {data.devicesKept > 0 && <Text>{t("jobs.undo.kept", counted(data.devicesKept))}</Text>}
        {data.devicesRevoked > 0 && <Text fw={600}>{t("jobs.undo.revoked", counted(data.devicesRevoked))}</Text>}
        <Text size="sm" c="dimmed">
          {t("jobs.undo.next")}{" "}
          {t("jobs.undo.until", { date: formatTime(new Date(data.until), i18n.language, { dateOnly: true }) })}
        </Text>
        {check.error !== null && <ErrorNotice error={check.error} />}
        <Group>
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            loading={check.isPending}
            onClick={() => {
              check.mutate();
            }}
          >
            {checkLabel ?? t("jobs.undo.check")}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
