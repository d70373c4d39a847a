import { Button, Skeleton, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useEventText } from "../audit/event-text.ts";
import { Section } from "../../ui/section.tsx";
import { SettingValue } from "../audit/setting-value.tsx";
import type { TimelineItem } from "./activity.ts";
import { failureText } from "./diagnosis-text.ts";

const pageSize = 10;

/** What happened to a person or a guest account and what they did, latest first. `about`: as the audit log says whom. */
export function Timeline({
  about,
  load,
}: {
  about: string;
  load: (page: { before?: string; limit: number }, signal: AbortSignal) => Promise<TimelineItem[]>;
}) {
  const { t } = useTranslation();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["audit", "timeline", about],
    queryFn: ({ pageParam, signal }) =>
      load({ limit: pageSize, ...(pageParam !== null && { before: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : (last.at(-1)?.at ?? null)),
  });
  const items = data?.pages.flat();
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
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {items === undefined && error === null && <Skeleton height={80} role="status" aria-label={t("shell.loading")} />}
      {items?.length === 0 && <Text c="dimmed">{t("activity.none")}</Text>}
      {items !== undefined && items.length > 0 && (
        <Table.ScrollContainer minWidth={480}>
          <Table withTableBorder verticalSpacing="xs" aria-label={t("activity.timeline")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("audit.columns.time")}</Table.Th>
                <Table.Th>{t("audit.columns.what")}</Table.Th>
                <Table.Th>{t("audit.columns.who")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((item, index) => (
                <Row key={item.auditID ?? `${item.type} ${item.at} ${index}`} item={item} about={about} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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

function Row({ item, about }: { item: TimelineItem; about: string }) {
  const { at, auditID } = item;
  const may = useMay();
  return (
    <Table.Tr>
      <Table.Td>
        {auditID === null || !may("audit") ? (
          <Time at={at} />
        ) : (
          <AnchorLink to="/audit" search={{ about, open: auditID }} inherit>
            <Time at={at} />
          </AnchorLink>
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <What item={item} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Who by={item.by} />
      </Table.Td>
    </Table.Tr>
  );
}

function What({ item: { type, name, serial, detail } }: { item: TimelineItem }) {
  const { t } = useTranslation();
  const text = useEventText();
  const device = name ?? (serial === null ? t("audit.unnamed") : `…${serial.slice(-8)}`);
  const { reason } = detail as { reason?: unknown };
  const isUnaudited = type === "profile_check" || type === "profile_expire" || type === "issuance_fail";
  const what = isUnaudited
    ? t(`activity.types.${type}`, {
        device,
        error: failureText(detail["error"], t),
        ...(detail["result"] === "revoked" && { context: "refused" }),
      })
    : text({ event: type, properties: JSON.stringify({ ...detail, ...(name !== null && { name }) }) });
  return (
    <>
      {serial === null ? what : <ProfileLink serial={serial} text={what} />}
      {typeof reason === "number" && (
        <Text span inherit c="dimmed">
          {" "}
          (<SettingValue name="reason" value={reason} />)
        </Text>
      )}
    </>
  );
}

const ProfileLink = ({ serial, text }: { serial: string; text: string }) => (
  <AnchorLink to="/profiles" search={{ open: serial }} inherit>
    {text}
  </AnchorLink>
);

/** Who did it. Names come with the timeline. */
function Who({ by }: { by: TimelineItem["by"] }) {
  const { t } = useTranslation();
  if (by === null) return null;
  const { kind, name, userID } = by;
  if (userID === undefined) return name ?? t(`activity.by.${kind}`);
  return (
    <AnchorLink to="/users/$userID" params={{ userID }} inherit miw={24} mih={24} display="inline-block">
      {name ?? t(`activity.by.${kind}`)}
    </AnchorLink>
  );
}
