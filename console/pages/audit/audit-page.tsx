import { IconClipboardList } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import { keysOf } from "../../list/filters.tsx";
import { useListState } from "../../list/list-state.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DetailDrawer, useOpened } from "../../ui/dialog/detail-drawer.tsx";
import { Page } from "../../ui/page.tsx";
import { formatTime, Time } from "../../ui/value/time.tsx";
import { About } from "./about.tsx";
import { useAuditFilters } from "./audit-filters.ts";
import { DownloadLog } from "./download-log.tsx";
import { EntryDetails } from "./entry-details.tsx";
import type { AuditEntry } from "./entry.ts";
import { useEventText } from "./event-text.ts";
import { useNamesInEntries } from "./find-entries.ts";
import { loadEntries } from "./load-entries.ts";
import { MeaningChoice, MeaningNote, useMeantTexts } from "./meaning-note.tsx";
import { Actor } from "./actor.tsx";
import { JobLine } from "./job-line.tsx";

export function AuditPage() {
  const { t, i18n } = useTranslation();
  const text = useEventText();
  const queries = useQueryClient();
  const { include } = useNamesInEntries();
  const load = useMemo(() => loadEntries(queries, include === undefined ? {} : { include }), [queries, include]);
  const filters = useAuditFilters();
  const [{ q, filter }] = useListState(filters.flatMap(keysOf));
  const meant = useMeantTexts(filter);
  const undecided = meant.find(({ found }) => found.length > 1);
  const [, open] = useOpened();

  const columns: Column<AuditEntry>[] = [
    {
      key: "time",
      title: t("audit.columns.time"),
      sortKey: "date",
      width: 190,
      card: "badge",
      render: ({ id, date }) => (
        <AnchorLink to="." search={(search) => ({ ...search, open: id })} resetScroll={false} inherit>
          <Time at={date} />
        </AnchorLink>
      ),
    },
    {
      key: "who",
      title: t("audit.columns.who"),
      render: (entry) => <Actor entry={entry} />,
    },
    {
      key: "what",
      title: t("audit.columns.what"),
      card: "title",
      render: (entry) => (
        <>
          {text(entry)}
          <JobLine entry={entry} isShown={q === "" && Object.keys(filter).length === 0} />
        </>
      ),
    },
    {
      key: "about",
      title: t("audit.columns.about"),
      render: (entry) => <About entry={entry} />,
    },
  ];

  return (
    <Page title={t("nav.audit")} lead={t("audit.lead")}>
      <DataList
        name="audit"
        label={t("audit.table")}
        load={load}
        idOf={({ id }) => id}
        rowLabel={(entry) =>
          t("audit.row", { what: text(entry), when: formatTime(new Date(entry.date), i18n.language) })
        }
        columns={columns}
        filters={filters}
        defaultSort="-date"
        searchLabel={t("audit.search")}
        noMatchHint={t("audit.noMatch")}
        tools={<DownloadLog filter={filter} search={q} />}
        searchNote={meant.map((text) => (
          <MeaningNote key={text.filter} text={text} />
        ))}
        instead={undecided && <MeaningChoice text={undecided} />}
        empty={{ icon: IconClipboardList, text: t("audit.empty") }}
        onOpen={({ id }) => {
          open(id);
        }}
      />
      <DetailDrawer title={t("audit.entry.title")}>{(id) => <EntryDetails id={id} />}</DetailDrawer>
    </Page>
  );
}
