import { ActionIcon, Group, Tooltip } from "@mantine/core";
import { IconDownload, IconPlayerStop, IconRefresh, type Icon } from "../../ui/icons.tsx";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { notifyFailed } from "../../ui/notice/notify.tsx";
import { useAskToCancel } from "./cancel-button.tsx";
import { canBeCancelled, canBeRetried, type Job } from "./job.ts";
import { saveResults } from "./save-results.ts";
import { useRetry } from "./use-retry.ts";

/** Shows the actions on a job in the list of jobs. */
export function RowActions({ job }: { job: Job }) {
  const { t } = useTranslation();
  const ask = useAskToCancel();
  const message = useErrorMessage();
  const onError = (error: Error) => {
    notifyFailed(message(error));
  };
  const download = useMutation({ mutationFn: () => saveResults(job), onError });
  const retry = useRetry(job.id);
  const mayChange = useMay()("changeJob");
  return (
    <Group gap={4} wrap="nowrap">
      {canBeCancelled(job) && mayChange && (
        <Action
          icon={IconPlayerStop}
          label={t(job.startedAt === null ? "jobs.discard.button" : "jobs.cancel.button")}
          onClick={() => {
            ask(job);
          }}
        />
      )}
      {job.state !== "checking" && (
        <Action
          icon={IconDownload}
          label={t("jobs.download.all")}
          busy={download.isPending}
          onClick={() => {
            download.mutate();
          }}
        />
      )}
      {canBeRetried(job) && mayChange && (
        <Action
          icon={IconRefresh}
          label={t(job.state === "failed" ? "jobs.retry.resume" : "jobs.retry.button")}
          busy={retry.isPending}
          onClick={() => {
            retry.mutate(undefined, { onError });
          }}
        />
      )}
    </Group>
  );
}

function Action({
  icon: Picture,
  label,
  busy = false,
  onClick,
}: {
  icon: Icon;
  label: string;
  busy?: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" size="lg" loading={busy} aria-label={label} onClick={onClick}>
        <Picture size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
