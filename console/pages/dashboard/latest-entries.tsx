import { Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Time } from "../../ui/value/time.tsx";
import { About } from "../audit/about.tsx";
import type { AuditEntry } from "../audit/entry.ts";
import { useEventText } from "../audit/event-text.ts";
import { findEntries, useNamesInEntries } from "../audit/find-entries.ts";
import { Actor } from "../audit/actor.tsx";
import { refetchMs } from "./overview.ts";

const shown = 10;

/** Shows the latest events of the realm, with their actors. */
export default function LatestEntries() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const included = useNamesInEntries();
  const { data, error, refetch } = useQuery({
    queryKey: ["audit", "latest"],
    queryFn: async ({ signal }) => {
      const query = { limit: shown, sort: { date: "desc" }, ...included };
      return (await findEntries(queries, query, signal)).data;
    },
    refetchInterval: refetchMs,
  });
  return (
    <Paper withBorder p="md" component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t("dashboard.latest.title")}
        </Title>
        <AnchorLink to="/audit" size="sm">
          {t("dashboard.latest.all")}
        </AnchorLink>
      </Group>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined
        ? error === null && <Skeleton height={200} radius="md" role="status" aria-label={t("shell.loading")} />
        : data.length === 0 && (
            <Text size="sm" c="dimmed">
              {t("dashboard.latest.none")}
            </Text>
          )}
      {data !== undefined && data.length > 0 && <Entries entries={data} />}
    </Paper>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const text = useEventText();
  return (
    <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: "none" }}>
      {entries.map((entry) => (
        <Group key={entry.id} component="li" gap="xs" align="baseline" style={{ rowGap: 2 }}>
          <AnchorLink to="/audit/$id" params={{ id: entry.id }} size="sm" w={{ sm: 180 }}>
            <Time at={entry.date} />
          </AnchorLink>
          <Text size="sm" fw={500}>
            {text(entry)}
          </Text>
          <Text size="sm" miw={0}>
            <About entry={entry} />
          </Text>
          <Text size="sm" c="dimmed" miw={0} ml={{ sm: "auto" }}>
            <Actor entry={entry} />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
