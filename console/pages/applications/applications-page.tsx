import { Button } from "@mantine/core";
import { IconApps, IconPlus } from "../../ui/icons.tsx";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CsvColumn } from "../../../domain/csv.ts";
import { api, listOf } from "../../api/api-client.ts";
import { byText } from "../../list/by-text.ts";
import type { Column } from "../../list/columns.ts";
import { DataList } from "../../list/data-list.tsx";
import type { Filter } from "../../list/filters.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Page } from "../../ui/page.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { applicationsKey, type Application } from "./applications.ts";
import { ScopeCount } from "./scope-list.tsx";

export function ApplicationsPage() {
  const { t } = useTranslation();
  const columns = useColumns();
  const filters = useFilters();
  const register = useMay()("registration") && (
    <Button component={Link} to="/applications/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t("applications.register")}
    </Button>
  );
  return (
    <Page title={t("nav.applications")} lead={t("applications.lead")} actions={register}>
      <DataList
        name={applicationsKey}
        label={t("nav.applications")}
        load={(query, signal) => listOf(api.GET("/api/applications", { params: { query: byText(query) }, signal }))}
        idOf={({ client_id }) => client_id}
        rowLabel={({ name }) => name}
        columns={columns}
        exported={{ as: "applications", columns: useExported() }}
        filters={filters}
        searchLabel={t("applications.search")}
        noMatchHint={t("applications.searchHint")}
        empty={{ icon: IconApps, text: t("applications.empty"), action: register }}
      />
    </Page>
  );
}

function useColumns(): Column<Application>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("applications.fields.name"),
      sortKey: "name",
      card: "title",
      render: ({ client_id, name }) => (
        <AnchorLink
          to="/applications/$clientId"
          params={{ clientId: client_id }}
          inherit
          style={{ overflowWrap: "anywhere" }}
        >
          {name}
        </AnchorLink>
      ),
    },
    {
      key: "type",
      title: t("applications.fields.type"),
      width: 200,
      render: ({ type }) => t(`applications.types.${type}.short`),
    },
    {
      key: "active",
      title: t("applications.state"),
      width: 150,
      card: "badge",
      render: ({ active }) => <StatusBadge status={active ? "active" : "off"} />,
    },
    {
      key: "scopes",
      title: t("applications.fields.scopes"),
      width: 150,
      render: ({ scopes, name }) => <ScopeCount scopes={scopes} name={name} />,
    },
    {
      key: "lastUsed",
      title: t("applications.lastUsed"),
      sortKey: "lastUsed",
      width: 210,
      render: ({ lastUsed }) => (lastUsed === null ? t("applications.never") : <Time at={lastUsed} />),
    },
  ];
}

function useFilters(): Filter[] {
  const { t } = useTranslation();
  return [
    {
      kind: "choice",
      key: "type",
      label: t("applications.fields.type"),
      choices: (["useragent", "service"] as const).map((type) => ({
        value: type,
        label: t(`applications.types.${type}.short`),
      })),
    },
    {
      kind: "choice",
      key: "active",
      label: t("applications.state"),
      choices: [
        { value: "true", label: t("status.active") },
        { value: "false", label: t("status.off") },
      ],
    },
  ];
}

function useExported(): CsvColumn<Application>[] {
  const { t } = useTranslation();
  return [
    { title: t("applications.fields.name"), text: ({ name }) => name },
    { title: t("applications.fields.type"), text: ({ type }) => t(`applications.types.${type}.short`) },
    { title: t("applications.state"), text: ({ active }) => t(`status.${active ? "active" : "off"}`) },
    { title: t("applications.fields.scopes"), text: ({ scopes }) => scopes.join(" ") },
    { title: t("applications.lastUsed"), time: ({ lastUsed }) => lastUsed },
  ];
}
