import { Stack, Text } from "@mantine/core";
import { IconListCheck } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { jobKinds, jobStates } from "../../../domain/bulk-job/job.ts";
import type { CsvColumn } from "../../../domain/csv.ts";
import { byText } from "../../list/by-text.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { LoadList } from "../../list/export-csv.ts";
import type { Filter } from "../../list/filters.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Page } from "../../ui/page.tsx";
import { personName, rememberPeople, useIncludedPeople, type NamedPerson } from "../../ui/value/person.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { useNumber } from "./counts.ts";
import { Creator } from "./creator.tsx";
import { findJobs, jobsKey, type Job } from "./job.ts";
import { kindTexts } from "./kind-texts.ts";
import { shownState } from "./steps.ts";
import { NewJobButtons } from "./new-job-buttons.tsx";
import { RowActions } from "./row-actions.tsx";
import { SmallProgress } from "./small-progress.tsx";

const refetchMs = 3_000;

/** A job with its creator, if the creator is a person whom the user may see. */
type ListedJob = Job & { creator: NamedPerson | undefined };

/** Shows the bulk jobs of the realm. */
export function JobsPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("nav.jobs")} lead={t("jobs.lead")} actions={<NewJobButtons />}>
      <DataList<ListedJob>
        name={jobsKey}
        label={t("nav.jobs")}
        load={useLoad()}
        idOf={({ id }) => id}
        rowLabel={({ kind, name }) => [t(kindTexts(kind).title), name ?? ""].join(" ").trim()}
        columns={useColumns()}
        exported={{ as: "jobs", columns: useExported() }}
        filters={useFilters()}
        searchLabel={t("jobs.search")}
        noMatchHint={t("jobs.searchHint")}
        defaultSort="-createdAt"
        refetchMs={refetchMs}
        empty={{ icon: IconListCheck, text: t("jobs.empty"), action: <NewJobButtons /> }}
      />
    </Page>
  );
}

/** Returns a function that loads jobs with the names of their creators. */
function useLoad(): LoadList<ListedJob> {
  const queries = useQueryClient();
  const { include } = useIncludedPeople();
  return useMemo(
    () => async (query, signal) => {
      const {
        data,
        total = data.length,
        people,
      } = await findJobs({ ...byText(query), ...(include && { include }) }, signal);
      rememberPeople(queries, people);
      return { data: data.map((job) => ({ ...job, creator: people?.[job.createdBy] })), total };
    },
    [queries, include],
  );
}

function useFilters(): Filter[] {
  const { t } = useTranslation();
  return [
    {
      kind: "choice",
      key: "state",
      label: t("jobs.columns.state"),
      choices: jobStates.map((value) => ({ value, label: t(`status.${value}`) })),
    },
    {
      kind: "choice",
      key: "kind",
      label: t("jobs.columns.kind"),
      choices: jobKinds.map((value) => ({ value, label: t(`jobs.kinds.${value}`) })),
    },
    { kind: "days", min: "minCreated", max: "maxCreated", label: t("jobs.columns.created") },
  ];
}

function useColumns(): Column<ListedJob>[] {
  const { t } = useTranslation();
  const number = useNumber();
  return [
    {
      key: "kind",
      title: t("jobs.columns.kind"),
      card: "title",
      render: ({ id, kind, name }) => (
        <Stack gap={0}>
          <AnchorLink to="/jobs/$id" params={{ id }} inherit>
            {t(kindTexts(kind).title)}
          </AnchorLink>
          {name !== null && (
            <Text size="sm" c="dimmed" maw={280} style={{ overflowWrap: "anywhere" }}>
              {name}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: "createdBy",
      title: t("jobs.columns.who"),
      render: ({ createdBy }) => <Creator createdBy={createdBy} />,
    },
    {
      key: "createdAt",
      title: t("jobs.columns.created"),
      render: ({ createdAt }) => <Time at={createdAt} />,
      sortKey: "createdAt",
    },
    {
      key: "state",
      title: t("jobs.columns.state"),
      width: 210,
      card: "badge",
      render: (job) => <StatusBadge status={shownState(job)} />,
    },
    {
      key: "progress",
      title: t("jobs.columns.progress"),
      width: 220,
      render: (job) => <SmallProgress job={job} />,
    },
    {
      key: "total",
      title: t("jobs.columns.rows"),
      align: "right",
      render: ({ total }) => number(total),
    },
    {
      key: "actions",
      title: t("jobs.columns.actions"),
      render: (job) => <RowActions job={job} />,
      width: 130,
      card: "actions",
    },
  ];
}

function useExported(): CsvColumn<ListedJob>[] {
  const { t } = useTranslation();
  return [
    { title: t("jobs.columns.kind"), text: ({ kind }) => t(`jobs.kinds.${kind}`) },
    { title: t("jobs.facts.name"), text: ({ name }) => name },
    {
      title: t("jobs.facts.createdBy"),
      text: ({ createdBy, creator }) => (creator ? personName({ ...creator, userID: createdBy }) : createdBy),
    },
    { title: t("jobs.columns.created"), time: ({ createdAt }) => createdAt },
    { title: t("jobs.facts.finished"), time: ({ finishedAt }) => finishedAt },
    { title: t("jobs.columns.state"), text: (job) => t(`status.${shownState(job)}`) },
    { title: t("jobs.columns.rows"), text: ({ total }) => total },
    { title: t("jobs.counts.changed"), text: ({ changed }) => changed },
    { title: t("jobs.counts.unchanged"), text: ({ unchanged }) => unchanged },
    { title: t("jobs.counts.failed"), text: ({ failed }) => failed },
    { title: t("jobs.counts.skipped"), text: ({ skipped }) => skipped },
  ];
}
