import { Button, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../list/columns.ts";
import { ShortTable } from "../list/short-table.tsx";
import { Allowed } from "../session/allowed.tsx";
import { useMay } from "../session/may.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { ErrorNotice } from "../ui/notice/error-notice.tsx";
import { Time } from "../ui/value/time.tsx";
import { useEventText } from "../pages/audit/event-text.ts";
import { Section } from "../ui/section.tsx";
import { SettingValue } from "../pages/audit/setting-value.tsx";
import { ActedBy } from "./acted-by.tsx";
import type { TimelineItem } from "./activity.ts";
import { failureText } from "./diagnosis-text.ts";

const pageSize = 10;

const allSides = ["all", "about", "by"] as const;
type Side = (typeof allSides)[number];

/**
 * Shows the history of a person or a guest account, latest event first. `about` is the subject in the audit log's form.
 */
export function Timeline({
  about,
  load,
  sides = false,
}: {
  about: string;
  load: (
    page: { before?: string; limit: number; side?: "by" | "about" },
    signal: AbortSignal,
  ) => Promise<TimelineItem[]>;
  /**
   * If true, the user can choose between the person's own actions and other people's actions that concern the person.
   */
  sides?: boolean;
}) {
  const [side, setSide] = useState<Side>("all");
  const { t } = useTranslation();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["audit", "timeline", about, side],
    queryFn: ({ pageParam, signal }) =>
      load(
        { limit: pageSize, ...(side !== "all" && { side }), ...(pageParam !== null && { before: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : (last.at(-1)?.at ?? null)),
  });
  const items = data?.pages.flat();
  const columns = useColumns(about);
  return (
    <Section
      title={t("activity.timeline")}
      aside={
        <Allowed to="audit">
          <AnchorLink to="/audit" search={{ about }} size="sm">
            {t("activity.all")}
          </AnchorLink>
        </Allowed>
      }
    >
      {sides && (
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label={t("activity.sides.label")}
          data={allSides.map((value) => ({ value, label: t(`activity.sides.${value}`) }))}
          value={side}
          onChange={(value) => {
            setSide(allSides.find((known) => known === value) ?? "all");
          }}
        />
      )}
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {items === undefined && error === null && <Skeleton height={80} role="status" aria-label={t("shell.loading")} />}
      {items?.length === 0 && <Text c="dimmed">{t("activity.none")}</Text>}
      {items !== undefined && items.length > 0 && (
        <ShortTable label={t("activity.timeline")} rows={items} idOf={idOf} columns={columns} />
      )}
      {hasNextPage && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t("activity.more")}
        </Button>
      )}
    </Section>
  );
}

/** Returns an item's audit ID; without an audit entry, its type, time and serial number. */
const idOf = ({ auditID, type, at, serial }: TimelineItem): string => auditID ?? `${type} ${at} ${serial ?? ""}`;

function useColumns(about: string): Column<TimelineItem>[] {
  const { t } = useTranslation();
  const mayOpen = useMay()("audit");
  return [
    {
      key: "time",
      title: t("audit.columns.time"),
      render: ({ at, auditID }) =>
        auditID === null || !mayOpen ? (
          <Time at={at} />
        ) : (
          <AnchorLink to="/audit/$id" params={{ id: auditID }} inherit>
            <Time at={at} />
          </AnchorLink>
        ),
    },
    {
      key: "what",
      title: t("audit.columns.what"),
      card: "title",
      render: (item) => <What item={item} about={about} />,
    },
    { key: "who", title: t("audit.columns.who"), render: ({ by }) => by !== null && <ActedBy by={by} /> },
  ];
}

function What({ item: { type, about: other, name, serial, detail }, about }: { item: TimelineItem; about: string }) {
  const { t } = useTranslation();
  const text = useEventText();
  const device = name ?? (serial === null ? t("audit.unnamed") : `…${serial.slice(-8)}`);
  const { reason } = detail as { reason?: unknown };
  const isUnaudited =
    type === "profile_check" || type === "profile_ask" || type === "profile_expire" || type === "issuance_fail";
  const what = isUnaudited
    ? t(`activity.types.${type}`, {
        device,
        error: failureText(detail["error"], t),
        ...(detail["result"] === "revoked" && { context: "refused" }),
      })
    : text({ event: type, properties: JSON.stringify({ ...detail, ...(name !== null && { name }) }) });
  return (
    <>
      {serial === null ? what : <ProfileLink serial={serial} text={what} isHere={about.startsWith("guest:")} />}
      {other !== null && (
        <>
          {": "}
          <ActedBy by={{ kind: "person", ...other }} />
        </>
      )}
      {typeof reason === "number" && (
        <Text span inherit c="dimmed">
          {" "}
          (<SettingValue name="reason" value={reason} />)
        </Text>
      )}
    </>
  );
}

/** Links to a profile. A guest's profile opens on the page of the guest account. */
function ProfileLink({ serial, text, isHere }: { serial: string; text: string; isHere: boolean }) {
  if (!isHere)
    return (
      <AnchorLink to="/profiles" search={{ open: serial }} inherit>
        {text}
      </AnchorLink>
    );
  return (
    <AnchorLink to="." search={(search) => ({ ...search, open: serial })} resetScroll={false} inherit>
      {text}
    </AnchorLink>
  );
}
