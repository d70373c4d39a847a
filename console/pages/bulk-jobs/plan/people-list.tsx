import { Button, Group, Stack, Title } from "@mantine/core";
import { IconArrowBackUp, IconUserMinus, IconUsers } from "../../../ui/icons.tsx";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { idempotent, api, dataOf } from "../../../api/api-client.ts";
import type { Column } from "../../../list/columns.ts";
import { DataList } from "../../../list/data-list.tsx";
import type { Filter } from "../../../list/filters.tsx";
import { useMay } from "../../../session/may.ts";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { useIncludedNames } from "../../../ui/value/device.tsx";
import { personName } from "../../../ui/value/person.tsx";
import { useNumber } from "../counts.ts";
import { jobKey, newestOf, type Job } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import { loadRows, type PersonRow } from "./load-rows.ts";
import { RowOutcome } from "./row-outcome.tsx";
import { useSubjectColumns } from "./subject-columns.tsx";

/**
 * Lists the rows of a checked job, each with its person or profile and its expected outcome. The user can leave out
 * each row that would not fail, before the job starts, and include it again.
 */
export function PeopleList({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { error, act, busy } = useRows(job);
  const texts = kindTexts(job.kind);
  const mayChange = useMay()("changeJob");
  const beside = useIncludedNames();
  const columns = useColumns(job);
  const rowAction: Column<PersonRow> = {
    key: "actions",
    title: t("jobs.people.actions"),
    card: "actions",
    render: (row) => <RowButton row={row} busy={busy} act={act} />,
  };
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t(texts.list)}
      </Title>
      {error !== null && <ErrorNotice error={error} />}
      <DataList<PersonRow>
        name={rowsKey(job)}
        label={t(texts.list)}
        load={(query, signal) => loadRows(job.id, { ...query, ...beside }, signal)}
        idOf={({ row }) => String(row)}
        rowLabel={labelOf}
        columns={[...columns, ...(mayChange ? [rowAction] : [])]}
        filters={useFilters(job)}
        searchLabel={t(texts.search)}
        noMatchHint={t(texts.noMatch)}
        empty={{ icon: IconUsers, text: t(texts.empty) }}
        {...(mayChange && {
          actions: (rows, clear) => (
            <Group gap="xs">
              <RowsButton
                icon={IconUserMinus}
                label={t("jobs.people.leaveOut")}
                rows={rows.filter(canBeLeftOut)}
                busy={busy}
                onPress={(of) => {
                  act("DELETE", of, clear);
                }}
              />
              <RowsButton
                icon={IconArrowBackUp}
                label={t("jobs.people.takeBackIn")}
                rows={rows.filter(isLeftOut)}
                busy={busy}
                onPress={(of) => {
                  act("PUT", of, clear);
                }}
              />
            </Group>
          ),
        })}
      />
    </Stack>
  );
}

/** Names a row by the person and, in a revocation, the device and the serial number. */
const labelOf = ({ serial, device, person, user, pairwiseID, email }: PersonRow): string => {
  const name = person === undefined ? (email ?? pairwiseID) : personName({ ...person, userID: user ?? "" });
  return [name, device?.name, serial].filter((part) => part !== undefined && part !== null && part !== "").join(", ");
};

const canBeLeftOut = ({ status }: PersonRow): boolean => status === "changed" || status === "unchanged";
const isLeftOut = ({ error }: PersonRow): boolean => error === "taken_out";

/** Shows a button that leaves out one row or includes it again. */
function RowButton({ row, busy, act }: { row: PersonRow; busy: boolean; act: ReturnType<typeof useRows>["act"] }) {
  const { t } = useTranslation();
  const name = labelOf(row);
  if (!canBeLeftOut(row) && !isLeftOut(row)) return null;
  const out = canBeLeftOut(row);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      // A disabled button would lose the focus.
      aria-disabled={busy}
      aria-label={t(out ? "jobs.people.leaveOutRow" : "jobs.people.takeBackInRow", { name })}
      onClick={() => {
        if (!busy) act(out ? "DELETE" : "PUT", [row.row], () => undefined);
      }}
    >
      {t(out ? "jobs.people.leaveOut" : "jobs.people.takeBackIn")}
    </Button>
  );
}

const rowsKey = ({ id }: Job): string => `job rows ${id}`;

function RowsButton({
  icon: Picture,
  label,
  rows,
  busy,
  onPress,
}: {
  icon: typeof IconUserMinus;
  label: string;
  rows: readonly PersonRow[];
  busy: boolean;
  onPress: (rows: number[]) => void;
}) {
  const number = useNumber();
  if (rows.length === 0) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Picture size={16} aria-hidden />}
      loading={busy}
      onClick={() => {
        onPress(rows.map(({ row }) => row));
      }}
    >
      {`${label} (${number(rows.length)})`}
    </Button>
  );
}

/**
 * Returns functions that leave out rows of the job or include them again, and then update the job's counts and the list
 * of rows.
 */
function useRows(job: Job) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ method, rows }: { method: "DELETE" | "PUT"; rows: number[] }) => {
      const request = { params: { path: { id: job.id }, header: idempotent() }, body: { rows } };
      return dataOf(
        method === "PUT" ? api.PUT("/api/jobs/{id}/rows", request) : api.DELETE("/api/jobs/{id}/rows", request),
      );
    },
    async onSuccess(changed) {
      queries.setQueryData<Job>(jobKey(job.id), (known) => newestOf(known, changed));
      await queries.invalidateQueries({ queryKey: [rowsKey(job)] });
    },
  });
  return {
    error,
    busy: isPending,
    act: (method: "DELETE" | "PUT", rows: number[], clear: () => void) => {
      mutate({ method, rows }, { onSuccess: clear });
    },
  };
}

function useFilters({ kind }: Job): Filter[] {
  const { t } = useTranslation();
  const texts = kindTexts(kind);
  const statuses = ["changed", "skipped", "unchanged", "failed"] as const;
  return [
    {
      kind: "choice",
      key: "status",
      label: t("jobs.people.outcome"),
      choices: statuses.map((status) => ({
        value: status,
        label: t(status === "changed" ? texts.willChange : texts.outcome[status]),
      })),
    },
  ];
}

function useColumns(job: Job): Column<PersonRow>[] {
  const { t } = useTranslation();
  const areProfiles = kindsOfJob[job.kind].of === "profiles";
  const number = useNumber();
  return [
    ...useSubjectColumns(job),
    ...(job.affectedProfiles === null || areProfiles
      ? []
      : [
          {
            key: "profiles",
            title: t("jobs.people.profiles"),
            align: "right" as const,
            render: ({ profiles }: PersonRow) => (profiles === null ? "–" : number(profiles)),
          },
        ]),
    {
      key: "outcome",
      title: t("jobs.people.outcome"),
      card: "badge",
      render: (row) => <RowOutcome kind={job.kind} row={row} />,
    },
  ];
}
