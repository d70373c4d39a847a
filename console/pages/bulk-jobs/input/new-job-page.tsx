import { Alert, Stack } from "@mantine/core";
import { IconAlertTriangle } from "../../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { jobKinds } from "../../../../domain/bulk-job/job.ts";
import { ApiError } from "../../../api/api-client.ts";
import { LeaveGuard } from "../../../ui/dialog/leave-guard.tsx";
import { Page } from "../../../ui/page.tsx";
import { UnknownPage } from "../../../ui/unknown-page.tsx";
import { ColumnTable } from "./column-table.tsx";
import { FileChoice } from "./file-choice.tsx";
import type { Chosen } from "./file-type.ts";
import { jobKey, jobsKey, type Job, type JobKind } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import { usePastedRows } from "./pasted-rows.tsx";
import { useRefusedFile } from "./refused-file.ts";
import { StepList } from "../step-list.tsx";
import { UploadProgress } from "./upload-progress.tsx";
import { uploadRows } from "./upload-rows.ts";

/**
 * Asks for the file of a bulk job, the job's first step. The upload starts the check, which the job's own page shows.
 */
export function NewJobPage() {
  const { kind: name } = useParams({ strict: false });
  const kind = jobKinds.find((known) => known === name);
  return kind === undefined ? <UnknownPage /> : <NewJob key={kind} kind={kind} />;
}

/** Asks for the file of a job that revokes profiles; this page has its own entry in the navigation. */
export const RevocationPage = () => <NewJob key="revocation" kind="revocation" />;

function NewJob({ kind }: { kind: JobKind }) {
  const { t } = useTranslation();
  const { share, error, pasted, send, stop, refuse } = useUpload(kind);
  return (
    <Page title={t(kindTexts(kind).begin)} lead={t(kindTexts(kind).lead)}>
      <LeaveGuard when={share !== undefined} text={t("jobs.upload.leave")} />
      <StepList current="file" />
      <Stack gap="lg" maw={900}>
        {error !== undefined && <Refusal error={error} pasted={pasted} />}
        {share === undefined ? (
          <FileChoice kind={kind} onChosen={send} onRefused={refuse} />
        ) : (
          <UploadProgress share={share} onStop={stop} />
        )}
        <ColumnTable kind={kind} />
      </Stack>
    </Page>
  );
}

/** Returns functions that upload a file, stop the upload and show a refusal. Opens the job after the upload. */
function useUpload(kind: JobKind) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const running = useRef<AbortController>(undefined);
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<Error>();
  const [job, setJob] = useState<Job>();
  const [pasted, setPasted] = useState(false);
  const [, , forgetPasted] = usePastedRows(kind);
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    // The leave guard blocks navigation until this render.
    if (job !== undefined) void navigate({ to: "/jobs/$id", params: { id: job.id } });
  }, [job, navigate]);

  const send = async (chosen: Chosen) => {
    // The upload is running, so a second press sends nothing.
    if (running.current !== undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setPasted(chosen.name === undefined);
    setShare(0);
    try {
      const made = await uploadRows({ kind, chosen, onProgress: setShare, signal: controller.signal });
      forgetPasted();
      queries.setQueryData(jobKey(made.id), made);
      void queries.invalidateQueries({ queryKey: [jobsKey] });
      setJob(made);
    } catch (thrown) {
      if (!controller.signal.aborted) setError(thrown as Error);
      running.current = undefined;
    }
    setShare(undefined);
  };
  return {
    share,
    error,
    pasted,
    send: (chosen: Chosen) => void send(chosen),
    stop: () => running.current?.abort(),
    refuse: (refusal: Error) => {
      setPasted(false);
      setError(refusal);
    },
  };
}

/** Explains why the file did not become a job. Takes the focus, so screen readers read the explanation. */
function Refusal({ error, pasted }: { error: Error; pasted: boolean }) {
  const { t } = useTranslation();
  const reason = useRefusedFile();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    notice.current?.focus();
  }, [error]);
  return (
    <Alert
      ref={notice}
      tabIndex={-1}
      color="red"
      role="alert"
      icon={<IconAlertTriangle aria-hidden />}
      title={t(error instanceof ApiError && pasted ? "jobs.refused.rowsTitle" : "jobs.refused.title")}
    >
      {reason(error, { pasted })}
      {error instanceof ApiError && error.requestId !== undefined && (
        <>
          {" "}
          {t("errors.reference")} <code>{error.requestId}</code>
        </>
      )}
    </Alert>
  );
}
