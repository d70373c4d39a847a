import { Alert, Button, Group, Paper, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPlay } from "../../../ui/icons.tsx";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { jobNotices, kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { scheduledDaysMax } from "../../../../domain/lifetimes.ts";
import { ApiError } from "../../../api/api-client.ts";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { textColor } from "../../../ui/theme.ts";
import { useKeptState } from "../../../ui/form/draft.ts";
import { instantOf, localTime, readersZone } from "../../../session/local-time.ts";
import { CancelButton } from "../cancel-button.tsx";
import { useNumber } from "../counts.ts";
import { GraceChoice } from "./grace-choice.tsx";
import { jobKey, newestOf, startJob, type Job, type Start } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import { TouchedLines } from "./touched-lines.tsx";
import { useTouched } from "./use-touched.ts";

/**
 * Starts a checked job of any kind, now or later. Shows the job's effect, the number of people or profiles that it
 * affects, their share of the realm, and whether the job can be undone. If the job removes access or affects a large
 * share, the user must type the number.
 */
export function StartForm({ job }: { job: Job }) {
  const { t } = useTranslation();
  const number = useNumber();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [{ later, time }, setStart, forgetStart] = useKeptState(`start of ${job.id}`, plannedStart(job));
  const [key] = useState(() => crypto.randomUUID());
  const { takesAway } = kindsOfJob[job.kind];
  const { touched, isBeyond } = useTouched(job);
  const hasGrace = job.kind === "offboarding";
  const [graceDays, setGraceDays, forgetGrace] = useKeptState<number | null | undefined>(
    `grace of ${job.id}`,
    job.graceDays,
  );
  const texts = kindTexts(job.kind, { leavesOut: job.failed > 0, later: typeof graceDays === "number" });

  const { mutate, isPending, error } = useMutation({
    mutationFn: (start: Start) => startJob(job.id, start, key),
    onSuccess(started) {
      forgetStart();
      forgetGrace();
      queries.setQueryData<Job>(jobKey(job.id), (known) => newestOf(known, started));
    },
  });
  const refused = error instanceof ApiError && error.code === jobNotices.confirmationRequired;
  const tooLarge = isBeyond || refused || job.error === jobNotices.confirmationRequired;
  const asksNumber = takesAway || tooLarge;
  const matches = !asksNumber || typed.replace(/[\s.,’'\u202f]/g, "") === String(job.changed);
  const at = later ? instantIn(time, job) : undefined;
  const timeIsMissing = later && at === undefined;
  const counts = { count: job.changed, formatted: number(job.changed), left: number(job.failed) };

  if (job.changed === 0) return <NothingToStart job={job} />;
  return (
    <Paper
      withBorder
      p="lg"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({
          executeAt: at?.toISOString() ?? null,
          confirmTotal: tooLarge ? job.changed : undefined,
          ...(hasGrace && { graceDays }),
        });
      }}
    >
      <Stack>
        <Title order={2} size="h4">
          {t("jobs.steps.confirm")}
        </Title>
        <Text>{t(texts.happens, { ...counts, days: t("jobs.start.afterDays", { count: graceDays ?? 0 }) })}</Text>
        <TouchedLines kind={job.kind} touched={touched} />
        <Text {...(takesAway && { fw: 600, style: { color: textColor("red") } })}>{t(texts.takenBack)}</Text>
        {hasGrace && <GraceChoice days={graceDays} hint={t("jobs.start.devices.hint")} onChange={setGraceDays} />}
        {tooLarge && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.start.many")}>
            {t(texts.many, counts)}
          </Alert>
        )}
        {asksNumber && (
          <TextInput
            label={t("jobs.start.typeNumber", { number: number(job.changed) })}
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            maw={360}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
            }}
          />
        )}
        <Switch
          label={t("jobs.start.later")}
          checked={later}
          onChange={(event) => {
            setStart({ later: event.currentTarget.checked, time });
          }}
        />
        {later && (
          <TextInput
            type="datetime-local"
            label={t("jobs.start.time")}
            description={t("jobs.start.zone", { zone: readersZone(), days: scheduledDaysMax })}
            max={localTime(new Date(Date.now() + scheduledDaysMax * 24 * 3_600_000))}
            value={time}
            required
            maw={360}
            onChange={(event) => {
              setStart({ later, time: event.currentTarget.value });
            }}
          />
        )}
        {error !== null && !refused && <ErrorNotice error={error} />}
        <Group>
          <Button
            type="submit"
            {...(takesAway && { color: "red" })}
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={isPending}
            disabled={!matches || timeIsMissing || (hasGrace && graceDays === undefined)}
          >
            {t(texts.button, counts)}
          </Button>
          <CancelButton job={job} />
        </Group>
      </Stack>
    </Paper>
  );
}

/** Returns the time that the job was created with, if it is still ahead, as the form shows it. */
function plannedStart({ executeAt }: Job): { later: boolean; time: string } {
  const at = executeAt === null ? undefined : new Date(executeAt);
  return at !== undefined && at > new Date() ? { later: true, time: localTime(at) } : { later: false, time: "" };
}

/** Parses the form's time. The job's own time keeps its seconds, which the form does not show. */
function instantIn(time: string, { executeAt }: Job): Date | undefined {
  const own = executeAt === null ? undefined : new Date(executeAt);
  return own !== undefined && localTime(own) === time ? own : instantOf(time);
}

/** Explains why a checked job has nothing to do, and lets the user discard it. */
function NothingToStart({ job }: { job: Job }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack>
        <Title order={2} size="h4">
          {t("jobs.start.nothing")}
        </Title>
        <Text>{t(kindTexts(job.kind)[job.skipped > 0 ? "allLeftOut" : "nothing"])}</Text>
        <Group>
          <CancelButton job={job} />
        </Group>
      </Stack>
    </Paper>
  );
}
