import { Button, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "../../ui/icons.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { staticTokensMax } from "../../../domain/limits.ts";
import { api, dataOf, idempotent, type Schemas } from "../../api/api-client.ts";
import type { Column } from "../../list/columns.ts";
import { ShortTable } from "../../list/short-table.tsx";
import { useMay } from "../../session/may.ts";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { useHeadingAfterwards } from "../../ui/dialog/use-return-focus.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/value/time.tsx";
import { applicationKey } from "./applications.ts";
import { NewToken } from "./new-token.tsx";

type StaticToken = Schemas["StaticToken"];

const tokensKey = (clientId: string) => [...applicationKey(clientId), "tokens"] as const;

/** Shows the tokens for directories that have only one field for a secret. */
export function StaticTokens({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const [creating, { open, close }] = useDisclosure();
  const { data, error, refetch } = useQuery({
    queryKey: tokensKey(clientId),
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/applications/{client_id}/tokens", { params: { path: { client_id: clientId } }, signal })),
  });
  const columns = useColumns(clientId);
  const now = new Date();
  const usable = data?.filter(({ expiresAt }) => expiresAt === null || new Date(expiresAt) > now) ?? [];
  return (
    <Section
      title={t("applications.tokens.title")}
      note={t("applications.tokens.note")}
      aside={
        may("makeDirectoryToken") && (
          <Button
            size="xs"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={data === undefined || usable.length >= staticTokensMax}
            onClick={open}
          >
            {t("applications.tokens.new")}
          </Button>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={60} role="status" aria-label={t("shell.loading")} />}
      {data?.length === 0 && <Text c="dimmed">{t("applications.tokens.none")}</Text>}
      {data !== undefined && data.length > 0 && (
        <ShortTable label={t("applications.tokens.title")} rows={data} idOf={({ id }) => id} columns={columns} />
      )}
      {creating && (
        <NewToken
          clientId={clientId}
          onCreated={() => queries.invalidateQueries({ queryKey: tokensKey(clientId) })}
          onClose={close}
        />
      )}
    </Section>
  );
}

function useColumns(clientId: string): Column<StaticToken>[] {
  const { t } = useTranslation();
  const mayDelete = useMay()("changeApplication");
  const never = t("applications.never");
  return [
    {
      key: "name",
      title: t("applications.tokens.name"),
      card: "title",
      render: ({ name }) => name ?? t("applications.tokens.unnamed"),
    },
    { key: "createdAt", title: t("applications.tokens.createdAt"), render: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: "lastUsedAt",
      title: t("applications.lastUsed"),
      render: ({ lastUsedAt }) => (lastUsedAt === null ? never : <Time at={lastUsedAt} relative />),
    },
    {
      key: "networks",
      title: t("applications.tokens.networks"),
      render: ({ networks }) => (networks.length === 0 ? t("applications.tokens.everywhere") : networks.join(", ")),
    },
    {
      key: "expiresAt",
      title: t("applications.tokens.expiresAt"),
      render: ({ expiresAt }) => (expiresAt === null ? t("applications.tokens.lasts") : <Time at={expiresAt} />),
    },
    ...(mayDelete
      ? [
          {
            key: "actions",
            title: t("users.profiles.action"),
            card: "actions" as const,
            render: (token: StaticToken) => <DeleteButton clientId={clientId} token={token} />,
          },
        ]
      : []),
  ];
}

function DeleteButton({ clientId, token: { id, name } }: { clientId: string; token: StaticToken }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  useHeadingAfterwards();
  const shown = name ?? t("applications.tokens.unnamed");
  return (
    <Button
      size="compact-sm"
      variant="light"
      color="red"
      aria-label={t("applications.deleteNamed", { name: shown })}
      onClick={() => {
        confirm({
          title: t("applications.deleteTitle", { name: shown }),
          children: <Text size="sm">{t("applications.tokens.deleteText")}</Text>,
          confirmLabel: t("applications.deleteNamed", { name: shown }),
          async onConfirm() {
            const path = { client_id: clientId, tokenID: id };
            await dataOf(
              api.DELETE("/api/applications/{client_id}/tokens/{tokenID}", { params: { path, header: idempotent() } }),
            );
            notifyDone(t("applications.deleted", { name: shown }));
            await queries.invalidateQueries({ queryKey: tokensKey(clientId) });
          },
        });
      }}
    >
      {t("applications.delete")}
    </Button>
  );
}
