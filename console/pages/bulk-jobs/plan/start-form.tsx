import { Alert, Button, Checkbox, Group, Paper, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { jobNotices, kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { scheduledDaysMax } from "../../../../domain/lifetimes.ts";
import { unconfirmedShareMax, unconfirmedRemovalsMax } from "../../../../domain/limits.ts";
import { api, ApiError, listOf } from "../../../api/api-client.ts";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { textColor } from "../../../ui/theme.ts";
import { localTime, viewersZone } from "../../../ui/value/local-time.ts";
import { CancelButton } from "../cancel-button.tsx";
import { useNumber } from "../counts.ts";
import { GraceChoice } from "./grace-choice.tsx";
import { jobKey, newestOf, startJob, type Job, type Start } from "../job.ts";

/** Starts a checked job, now or later. A job that removes access first asks the user to type its number. */
export function StartForm({ job }: { job: Job }) {
  const { t } = useTranslation();
  const number = useNumber();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [sure, setSure] = useState(false);
  const [later, setLater] = useState(false);
  const [time, setTime] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const offboarding = job.kind === "offboarding";
  const { of, takesAway, confirmed } = kindsOfJob[job.kind];
  const share = useShare(job);
  const [graceDays, setGraceDays] = useState<number | null | undefined>(job.graceDays);

  const { mutate, isPending, error } = useMutation({
    mutationFn: (start: Start) => startJob(job.id, start, key),
    onSuccess(started) {
      queries.setQueryData<Job>(jobKey(job.id), (known) => newestOf(known, started));
    },
  });
  const refused = error instanceof ApiError && error.code === jobNotices.confirmationRequired;
  const tooLarge =
    confirmed &&
    (refused ||
      job.error === jobNotices.confirmationRequired ||
      (job.changed > unconfirmedRemovalsMax && share !== undefined && share > unconfirmedShareMax));
  const matches = !takesAway || typed.replace(/[\s.,’'\u202f]/g, "") === String(job.changed);
  const at = later ? new Date(time) : undefined;
  const timeIsMissing = at !== undefined && Number.isNaN(at.getTime());
  const counts = {
    count: job.changed,
    formatted: number(job.changed),
    left: number(job.failed),
    profiles: number(job.affectedProfiles ?? 0),
  };

  if (job.changed === 0)
    return (
      <Paper withBorder p="lg">
        <Stack>
          <Title order={2} size="h4">
            {t("jobs.start.nothing")}
          </Title>
          <Text>{job.skipped > 0 ? t(`jobs.about.${of}.allLeftOut`) : t("jobs.start.nothingText")}</Text>
          <Group>
            <CancelButton job={job} />
          </Group>
        </Stack>
      </Paper>
    );

  return (
    <Paper
      withBorder
      p="lg"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({
          executeAt: at?.toISOString(),
          confirmTotal: tooLarge ? job.changed : undefined,
          ...(offboarding && { graceDays }),
        });
      }}
    >
      <Stack>
        <Title order={2} size="h4">
          {t("jobs.steps.confirm")}
        </Title>
        {offboarding && job.affectedProfiles !== null && (
          <Text fw={600} style={{ color: textColor("red") }}>
            {t("jobs.start.losing", counts)}
          </Text>
        )}
        <Text>
          {offboarding && typeof graceDays === "number"
            ? t("jobs.start.text.offboardingLater", { ...counts, days: graceDays })
            : t(`jobs.start.text.${job.kind}`, counts)}
        </Text>
        <Text {...(takesAway && { fw: 600 })}>{t(`jobs.start.takenBack.${job.kind}`)}</Text>
        {offboarding && <GraceChoice days={graceDays} hint={t("jobs.start.devices.hint")} onChange={setGraceDays} />}
        {takesAway && (
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
        {tooLarge && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("jobs.start.many")}>
            <Stack gap="sm">
              <Text size="sm">
                {share === undefined || share > 1
                  ? t(`jobs.about.${of}.many`, counts)
                  : t(`jobs.about.${of}.share`, {
                      ...counts,
                      percent: share < 0.01 ? "< 1" : number(Math.round(share * 100)),
                    })}
              </Text>
              <Checkbox
                label={t(`jobs.start.sure.${job.kind}`, counts)}
                checked={sure}
                onChange={(event) => {
                  setSure(event.currentTarget.checked);
                }}
              />
            </Stack>
          </Alert>
        )}
        <Switch
          label={t("jobs.start.later")}
          checked={later}
          onChange={(event) => {
            setLater(event.currentTarget.checked);
          }}
        />
        {later && (
          <TextInput
            type="datetime-local"
            label={t("jobs.start.time")}
            description={t("jobs.start.zone", { zone: viewersZone(), days: scheduledDaysMax })}
            max={localTime(new Date(Date.now() + scheduledDaysMax * 24 * 3_600_000))}
            value={time}
            required
            maw={360}
            onChange={(event) => {
              setTime(event.currentTarget.value);
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
            disabled={!matches || timeIsMissing || (offboarding && graceDays === undefined) || (tooLarge && !sure)}
          >
            {t(`jobs.start.button.${job.kind}${job.failed > 0 ? "LeaveOut" : ""}`, counts)}
          </Button>
          <CancelButton job={job} />
        </Group>
      </Stack>
    </Paper>
  );
}

/** Returns the share of the realm's active people or profiles that a job affects. */
function useShare({ kind, changed }: Job): number | undefined {
  const { of, confirmed } = kindsOfJob[kind];
  const { data } = useQuery({
    queryKey: [of === "people" ? "users" : "profiles", "active count"],
    queryFn: ({ signal }) => countActive[of](signal),
    enabled: confirmed && changed > unconfirmedRemovalsMax,
  });
  return data === undefined || data.total === 0 ? undefined : changed / data.total;
}

const countActive: Readonly<Record<"people" | "profiles", (signal: AbortSignal) => Promise<{ total: number }>>> = {
  people: (signal) =>
    listOf(api.GET("/api/user", { params: { query: { limit: 1, filter: { blacklisted: "false" } } }, signal })),
  profiles: (signal) => listOf(api.GET("/api/profiles", { params: { query: { limit: 1 } }, signal })),
};
