import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { confirm } from "../../ui/confirm.tsx";
import { DetailDrawer } from "../../ui/detail-drawer.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Facts } from "../../ui/facts.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import { Serial } from "../../ui/serial.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import {
  findInfrastructureProfile,
  infrastructureKey,
  infrastructureStatus,
  revokeInfrastructureProfile,
  type InfrastructureProfile,
} from "./infrastructure-profiles.ts";

/** The profile that the address names, beside the list. */
export function ProfileDrawer() {
  const { t } = useTranslation();
  return (
    <DetailDrawer title={t("infrastructure.one")}>{(serial) => <Found key={serial} serial={serial} />}</DetailDrawer>
  );
}

function Found({ serial }: { serial: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: [infrastructureKey, "one", serial],
    queryFn: ({ signal }) => findInfrastructureProfile(serial, signal),
  });
  if (data === null) return <Text>{t("infrastructure.gone")}</Text>;
  if (data !== undefined) return <Details profile={data} />;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return <Skeleton height={200} role="status" aria-label={t("shell.loading")} />;
}

function Details({ profile }: { profile: InfrastructureProfile }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const mayRevoke = useMay()("revokeInfrastructure");
  const { serial, name, description, creationDate, expirationDate, revokeDate, lastOcsp } = profile;
  const status = infrastructureStatus(profile);
  return (
    <Stack>
      <Facts
        facts={[
          [t("infrastructure.fields.name"), name],
          [t("infrastructure.state"), <StatusBadge key="state" status={status} />],
          [t("infrastructure.issued"), <Time key="issued" at={creationDate} />],
          [t("infrastructure.ends"), <Time key="ends" at={expirationDate} relative struck={status === "expired"} />],
          ...(revokeDate === null ? [] : [[t("status.revoked"), <Time key="revoked" at={revokeDate} />] as const]),
          [
            t("infrastructure.lastCheck"),
            lastOcsp === null ? t("infrastructure.never") : <Time key="check" at={lastOcsp} relative />,
          ],
          [t("infrastructure.serial"), <Serial key="serial" serial={serial} />],
          [
            t("infrastructure.fields.description"),
            <Text key="description" inherit style={{ whiteSpace: "pre-wrap" }}>
              {description ?? "–"}
            </Text>,
          ],
        ]}
      />
      {revokeDate === null && status !== "expired" && mayRevoke && (
        <Group justify="flex-end">
          <Button
            variant="light"
            color="red"
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={() => {
              confirm({
                title: t("infrastructure.revokeTitle", { name }),
                children: t("infrastructure.revokeText"),
                confirmLabel: t("infrastructure.revokeNamed", { name }),
                async onConfirm() {
                  await revokeInfrastructureProfile(serial);
                  await queries.invalidateQueries({ queryKey: [infrastructureKey] });
                  notifyDone(t("infrastructure.revoked", { name }));
                },
              });
            }}
          >
            {t("infrastructure.revoke")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
