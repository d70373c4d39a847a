import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { jobRowsMax } from "../../../../domain/limits.ts";
import { ApiError } from "../../../api/api-client.ts";
import { useErrorMessage } from "../../../ui/notice/error-notice.tsx";
import { notifyFailed } from "../../../ui/notice/notify.tsx";
import { formatNumber } from "../../../ui/value/time.tsx";
import { checkRows, jobKey, jobsKey, type Checked } from "../job.ts";

/**
 * Checks the list's selected rows as a bulk job and opens the job, whose page shows the people and lets the user start
 * it. The check continues if the user closes this page. A notice reports a failure.
 */
export function useCheck(): { check: (checked: Checked) => Promise<void>; checking: boolean } {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const message = useErrorMessage();
  // The key and the content of the last check. If the user sends the same check again after a failure, there is only
  // one job, whether or not the first request arrived.
  const attempt = useRef<{ of: string; key: string }>(undefined);
  const [checking, setChecking] = useState(false);
  const check = async (checked: Checked): Promise<void> => {
    const of = JSON.stringify(checked);
    if (attempt.current?.of !== of) attempt.current = { of, key: crypto.randomUUID() };
    setChecking(true);
    try {
      const job = await checkRows(checked, attempt.current.key);
      attempt.current = undefined;
      queries.setQueryData(jobKey(job.id), job);
      void queries.invalidateQueries({ queryKey: [jobsKey] });
      await navigate({ to: "/jobs/$id", params: { id: job.id } });
    } catch (error) {
      const tooMany = error instanceof ApiError && error.code === "payload_too_large";
      const max = formatNumber(jobRowsMax, i18n.language);
      notifyFailed(tooMany ? t("jobs.tooMany", { max }) : message(error as Error));
    }
    setChecking(false);
  };
  return { check, checking };
}
