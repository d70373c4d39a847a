import { Alert, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconInfoCircle } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { Time } from "../../ui/value/time.tsx";
import { About } from "./about.tsx";
import { Changes } from "./changes.tsx";
import { partsOf, propertiesOf, type AuditEntry } from "./entry.ts";
import { useEventText } from "./event-text.ts";
import { useEntryQuery } from "./load-entries.ts";
import { SettingValue } from "./setting-value.tsx";
import { Actor } from "./actor.tsx";

/** Shows an entry with all its properties, next to the list or, if `isPage`, on the entry's own page. */
export function EntryDetails({ id, isPage = false }: { id: string; isPage?: boolean }) {
  const { t } = useTranslation();
  const { data: entry, error, refetch } = useQuery(useEntryQuery(id));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (entry === undefined) return <Skeleton height={200} radius="md" role="status" aria-label={t("shell.loading")} />;
  if (entry === null)
    return (
      <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title={t("audit.entry.unknown")}>
        {t("audit.entry.unknownText", { id })}
      </Alert>
    );
  return <Entry entry={entry} isPage={isPage} />;
}

function Entry({ entry, isPage }: { entry: AuditEntry; isPage: boolean }) {
  const { t } = useTranslation();
  const text = useEventText();
  const { changes, rest } = partsOf(propertiesOf(entry));
  const others = Object.entries(rest);
  const isPlanned = rest["revokeAt"] !== undefined;
  return (
    <Stack>
      {!isPage && (
        <Group justify="space-between">
          <Text fw={600}>{text(entry)}</Text>
          <AnchorLink to="/audit/$id" params={{ id: entry.id }} size="sm">
            {t("audit.entry.link")}
          </AnchorLink>
        </Group>
      )}
      <Facts
        facts={[
          [t("audit.columns.time"), <Time key="time" at={entry.date} relative />],
          [t("audit.columns.who"), <Actor key="who" entry={entry} />],
          [t("audit.columns.about"), <About key="about" entry={entry} />],
          [
            t("audit.entry.number"),
            <>
              {entry.id} <EventCode event={entry.event} />
            </>,
          ],
        ]}
      />
      {changes.length > 0 && (
        <>
          <Title order={2} size="h4">
            {t("audit.entry.changes")}
          </Title>
          <Changes changes={changes} />
        </>
      )}
      {others.length > 0 && (
        <>
          <Title order={2} size="h4">
            {t("audit.entry.more")}
          </Title>
          <Facts
            facts={others.map(([name, value]) => [
              t(`audit.fields.${isPlanned && name === "profiles" ? "profilesPlanned" : name}`, { defaultValue: name }),
              <SettingValue key={name} name={name} value={value} />,
            ])}
          />
        </>
      )}
      <Text size="sm" c="dimmed">
        {t("audit.entry.secrets")}
      </Text>
    </Stack>
  );
}

/** Shows an event's code, with line breaks only between its words. */
function EventCode({ event }: { event: string }) {
  return (
    <Code style={{ overflowWrap: "normal" }}>
      {event.split("_").map((word, index) => (
        <Fragment key={index}>
          {index > 0 && (
            <>
              _<wbr />
            </>
          )}
          {word}
        </Fragment>
      ))}
    </Code>
  );
}
