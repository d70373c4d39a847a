import "mantine-datatable/styles.css";
import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { DataTable } from "mantine-datatable";
import type { ReactNode, SyntheticEvent } from "react";
import { useTranslation } from "react-i18next";
import type { ExportedList } from "../../domain/audit/exported-lists.ts";
import type { CsvColumn } from "../../domain/csv.ts";
import { ErrorNotice } from "../ui/notice/error-notice.tsx";
import { formatNumber } from "../ui/value/time.tsx";
import { CardPages } from "./card-pages.tsx";
import { Cards, SelectionBox } from "./cards.tsx";
import { isOnControl, type Column } from "./columns.ts";
import { EmptyList, type Empty } from "./empty-list.tsx";
import { ExportButton } from "./export-button.tsx";
import type { LoadList } from "./export-csv.ts";
import { FilterMenu, FilterPills, keysOf, type Filter } from "./filters.tsx";
import { pageSizes, queryOf, useListState, type Found, type ListQuery, type ListState } from "./list-state.ts";
import { ListSearch } from "./list-search.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useSelection, type Selection } from "./selection.ts";
import { SortHeader, type SortOrder } from "./sort-header.tsx";
import { SortMenu } from "./sort-menu.tsx";
import { usePhone } from "./use-phone.ts";

export interface DataListProps<Row> {
  /** The list's cache key: invalidate `[name]` after a change. The exported file also gets this name. */
  name: string;
  /** The table's accessible name. */
  label: string;
  load: LoadList<Row>;
  idOf: (row: Row) => string;
  /** The accessible name of a row's checkbox. */
  rowLabel: (row: Row) => string;
  columns: readonly Column<Row>[];
  filters?: readonly Filter[];
  /** The label of the search field; if omitted, the list has no search. */
  searchLabel?: string;
  /** How the console understood the search; shown below the search field. */
  searchNote?: ReactNode;
  /** Shown in place of the rows until the user has decided something. */
  instead?: ReactNode;
  /** A sort key of the API: `created` or `-created`. */
  defaultSort?: string;
  /** Actions on the selected rows; if omitted, the user cannot select rows. */
  actions?: (rows: Row[], clear: () => void) => ReactNode;
  /** Actions on all rows of all pages, given the search and filters that find those rows. Needs `actions`. */
  actionsOnAll?: (all: { found: Found; total: number }, clear: () => void) => ReactNode;
  /** Shown when the list is empty without a search or filter. */
  empty: Empty;
  /** Where the search looks; shown when no row matches. */
  noMatchHint?: string;
  onOpen?: (row: Row) => void;
  /** The list's name in the audit log and the columns of the exported file; if omitted, there is no export. */
  exported?: { as: ExportedList; columns: readonly CsvColumn<Row>[] };
  /** The page's own tools, next to the search. */
  tools?: ReactNode;
  refetchMs?: number;
}

const noFilters: readonly Filter[] = [];

/** Shows a list of the API with search, filters, sorting and pages. Their state is in the address. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { name, load, filters = noFilters, searchLabel, searchNote, instead, defaultSort, tools, exported } = props;
  const [state, change] = useListState(filters.flatMap(keysOf));
  const query = queryOf(state, defaultSort);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [name, query],
    queryFn: ({ signal }) => load(query, signal),
    placeholderData: keepPreviousData,
    ...(props.refetchMs !== undefined && { refetchInterval: props.refetchMs }),
  });
  const narrowed = state.q !== "" || Object.keys(state.filter).length > 0;
  const setFilter = (filter: Readonly<Record<string, string>>) => {
    change({ filter });
  };

  return (
    <Stack gap="sm">
      <Group gap="sm">
        {searchLabel !== undefined && (
          <ListSearch
            value={state.q}
            label={searchLabel}
            onChange={(q) => {
              change({ q });
            }}
          />
        )}
        {filters.length > 0 && <FilterMenu filters={filters} values={state.filter} onChange={setFilter} />}
        {tools}
        {exported !== undefined && (
          <ExportButton name={name} list={exported.as} load={load} columns={exported.columns} query={query} />
        )}
      </Group>
      {searchNote}
      <FilterPills filters={filters} values={state.filter} onChange={setFilter} />
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {instead !== undefined ? (
        instead
      ) : data === undefined ? (
        error === null && <Loading />
      ) : data.total === 0 && !isFetching ? (
        <Nothing {...props} narrowed={narrowed} state={state} change={change} />
      ) : (
        <Rows
          {...props}
          rows={data.data}
          total={data.total}
          found={foundBy(query)}
          refreshing={isFetching && isPlaceholderData}
          state={state}
          change={change}
        />
      )}
    </Stack>
  );
}

interface Shown {
  state: ListState;
  change: (change: Partial<ListState>) => void;
}

const foundBy = ({ search, filter }: ListQuery): Found => ({
  ...(search !== undefined && { search }),
  ...(filter && { filter }),
});

interface Loaded<Row> {
  rows: Row[];
  total: number;
  /** True while the rows of another search or page load; the user cannot select rows until then. */
  refreshing: boolean;
}

function Rows<Row>({ found, ...props }: DataListProps<Row> & Shown & Loaded<Row> & { found: Found }) {
  const { rows, total, idOf, actions, actionsOnAll } = props;
  const selection = useSelection(rows, { idOf, question: JSON.stringify(found) });
  const phone = usePhone();

  return (
    <Stack gap="xs">
      <SelectionBar
        selection={selection}
        shown={rows.length}
        total={total}
        actions={actions}
        actionsOnAll={actionsOnAll && ((clear) => actionsOnAll({ found, total }, clear))}
      />
      {phone ? <CardRows {...props} selection={selection} /> : <TableRows {...props} selection={selection} />}
    </Stack>
  );
}

/** Shows the rows on a phone: a card for each row, and a menu for the order. */
function CardRows<Row>({
  rows,
  total,
  selection,
  state,
  change,
  label,
  columns,
  idOf,
  rowLabel,
  refreshing,
  actions,
  defaultSort,
  onOpen,
}: DataListProps<Row> & Shown & Loaded<Row> & { selection: Selection<Row> }) {
  const { t } = useTranslation();
  const all = rows.length > 0 && selection.rows.length === rows.length;
  return (
    <>
      <Group gap="xs" justify="space-between">
        {actions !== undefined && (
          <SelectionBox
            name={t("list.selectAll")}
            visible
            disabled={refreshing}
            checked={all}
            indeterminate={!all && selection.rows.length > 0}
            onChange={(checked) => {
              selection.choose(checked ? rows : []);
            }}
          />
        )}
        <SortMenu
          columns={columns}
          sort={state.sort}
          defaultSort={defaultSort}
          onSort={(sort) => {
            change({ sort });
          }}
        />
      </Group>
      {rows.length === 0 ? (
        <Text ta="center" c="dimmed" py="xl">
          {t("list.pastTheEnd")}
        </Text>
      ) : (
        <Cards
          label={label}
          rows={rows}
          idOf={idOf}
          columns={columns}
          onOpen={onOpen}
          {...(actions !== undefined && { chosen: { selection, rowLabel, disabled: refreshing } })}
        />
      )}
      <CardPages total={total} state={state} change={change} />
    </>
  );
}

function TableRows<Row>({
  rows,
  total,
  selection,
  refreshing,
  state,
  change,
  label,
  columns,
  idOf,
  rowLabel,
  actions,
  defaultSort,
  onOpen,
}: DataListProps<Row> & Shown & Loaded<Row> & { selection: Selection<Row> }) {
  const { t, i18n } = useTranslation();
  return (
    <DataTable<Row & Record<string, unknown>>
      aria-label={label}
      withTableBorder
      borderRadius="md"
      highlightOnHover
      verticalSpacing="xs"
      minHeight={rows.length === 0 ? 120 : 0}
      // The table always renders this text, and hides it when there are rows.
      noRecordsText={rows.length === 0 ? t("list.pastTheEnd") : ""}
      records={rows as (Row & Record<string, unknown>)[]}
      idAccessor={(row) => idOf(row)}
      fetching={refreshing}
      loaderBackgroundBlur={0}
      columns={columns.map(({ key, title, render, sortKey, width, align }) => ({
        accessor: key,
        title:
          sortKey === undefined ? (
            title
          ) : (
            <SortHeader
              title={title}
              order={orderOf(state.sort ?? defaultSort, sortKey)}
              onSort={(order) => {
                change({ sort: order === "desc" ? `-${sortKey}` : sortKey });
              }}
            />
          ),
        render,
        ...(width !== undefined && { width }),
        ...(align !== undefined && { textAlign: align }),
      }))}
      page={state.page}
      onPageChange={(page) => {
        change({ page });
      }}
      totalRecords={total}
      recordsPerPage={state.size}
      recordsPerPageOptions={[...pageSizes]}
      onRecordsPerPageChange={(size) => {
        change({ size });
      }}
      recordsPerPageLabel={t("list.perPage")}
      paginationText={({ from, to, totalRecords }) =>
        t("list.range", { from, to, total: formatNumber(totalRecords, i18n.language) })
      }
      getPaginationControlProps={(control) => ({ "aria-label": t(`list.${control}`) })}
      {...(onOpen !== undefined && {
        onRowClick: ({ record, event }: { record: Row; event: SyntheticEvent }) => {
          if (!isOnControl(event)) onOpen(record);
        },
      })}
      {...(actions !== undefined && {
        selectedRecords: selection.rows as (Row & Record<string, unknown>)[],
        onSelectedRecordsChange: selection.choose,
        getRecordSelectionCheckboxProps: (row: Row) => ({
          "aria-label": t("list.select", { row: rowLabel(row) }),
          disabled: refreshing,
        }),
        allRecordsSelectionCheckboxProps: { "aria-label": t("list.selectAll"), disabled: refreshing },
      })}
    />
  );
}

/** Returns the direction if the list is sorted by this key, otherwise undefined. */
const orderOf = (sort: string | undefined, sortKey: string): SortOrder | undefined =>
  ({ [sortKey]: "asc" as const, [`-${sortKey}`]: "desc" as const })[sort ?? ""];

function Nothing<Row>({
  empty,
  noMatchHint,
  narrowed,
  state,
  change,
}: DataListProps<Row> & Shown & { narrowed: boolean }) {
  if (!narrowed) return <EmptyList {...empty} />;
  return (
    <NothingFound
      text={state.q}
      hint={noMatchHint}
      onClear={() => {
        change({ q: "", filter: {} });
      }}
    />
  );
}

/** Shows placeholders while rows load. */
function Loading() {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" role="status" aria-label={t("shell.loading")}>
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} height={40} radius="md" />
      ))}
    </Stack>
  );
}
