import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconArrowBackUp, IconInfoCircle, IconPlugConnectedX } from "../../ui/icons.tsx";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { jobFailures, jobNotices } from "../../../domain/bulk-job/job.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { isFinal, unreachableKey, type Job } from "./job.ts";
import { kindTexts } from "./kind-texts.ts";
import { shownState } from "./steps.ts";

/** Shows at most one notice about a job in addition to its state. */
export function JobNotices({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { data: away } = useQuery({ queryKey: unreachableKey(job.id), queryFn: skipToken, initialData: false });
  if (away && !isFinal(job))
    return (
      <Alert color="yellow" icon={<IconPlugConnectedX aria-hidden />} title={t("jobs.away.title")} role="status">
        {t("jobs.away.text")}
      </Alert>
    );
  if (job.undoneBy !== null && shownState(job) === "undone")
    return (
      <Alert color="gray" icon={<IconArrowBackUp aria-hidden />} title={t("jobs.undone.title")} role="status">
        {t("jobs.undone.text")}{" "}
        <AnchorLink to="/jobs/$id" params={{ id: job.undoneBy }} inherit underline="always">
          {t("jobs.undone.open")}
        </AnchorLink>
      </Alert>
    );
  if (job.error === jobNotices.stalled)
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.stalled.title")} role="alert">
        {t("jobs.stalled.text")}
      </Alert>
    );
  if (job.error === jobNotices.changedSinceCheck)
    return <Notice title={t("jobs.changedSinceCheck.title")}>{t(kindTexts(job.kind).changedSince)}</Notice>;
  if (job.error === jobNotices.creatorEnded)
    return <Notice title={t("jobs.creatorEnded.title")}>{t("jobs.creatorEnded.text")}</Notice>;
  if (job.error === jobNotices.restored)
    return <Notice title={t("jobs.databaseRestored.title")}>{t("jobs.databaseRestored.text")}</Notice>;
  if (job.error === jobFailures.nothingUsable)
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.nothingUsable.title")} role="alert">
        {t("jobs.nothingUsable.text")}
      </Alert>
    );
  if ((job.state === "completed" || job.state === "completed_with_errors") && job.startedAt === null)
    return (
      <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title={t("jobs.start.nothing")} role="status">
        {t(kindTexts(job.kind).nothing)}
      </Alert>
    );
  if (job.state === "failed")
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.failed.title")} role="alert">
        {t("jobs.failed.text")}
      </Alert>
    );
  return null;
}

/** Shows information about the job that is neither a fault nor urgent. */
function Notice({ title, children }: { title: string; children: string }) {
  return (
    <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} title={title} role="status">
      {children}
    </Alert>
  );
}
