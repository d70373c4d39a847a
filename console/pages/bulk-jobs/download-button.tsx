import { Button } from "@mantine/core";
import { IconDownload } from "../../ui/icons.tsx";
import { useMutation } from "@tanstack/react-query";
import { useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { notifyFailed } from "../../ui/notice/notify.tsx";
import type { Job, JobRow } from "./job.ts";
import { saveResults } from "./save-results.ts";

/** Shows a button that saves a job's results: all rows, or the rows with one status. */
export function DownloadButton({
  job,
  status,
  label,
  primary = false,
}: {
  job: Job;
  status?: JobRow["status"];
  label: string;
  primary?: boolean;
}) {
  const message = useErrorMessage();
  const { mutate, isPending } = useMutation({
    mutationFn: () => saveResults(job, status),
    onError(error) {
      notifyFailed(message(error));
    },
  });
  return (
    <Button
      variant={primary ? "filled" : "default"}
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isPending}
      onClick={() => {
        mutate();
      }}
    >
      {label}
    </Button>
  );
}
