import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconBan } from "../../ui/icons.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { DetailDrawer } from "../../ui/dialog/detail-drawer.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { profileActivityQuery } from "../../activity/activity.ts";
import { LastCheck } from "../../activity/last-check.tsx";
import { useRevocationFacts } from "../../activity/revocation-facts.tsx";
import {
  findInfrastructureProfile,
  infrastructureKey,
  infrastructureStatus,
  revokeInfrastructureProfile,
  type InfrastructureProfile,
} from "./infrastructure-profiles.ts";

/** Shows the profile that the address names, next to the list. */
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
  const { data: activity } = useQuery(profileActivityQuery(serial));
  const revoked = useRevocationFacts({ revokedAt: revokeDate, known: activity?.revocation });
  const status = infrastructureStatus(profile);
  return (
    <Stack>
      <Facts
        facts={[
          [t("infrastructure.fields.name"), name],
          [t("infrastructure.state"), <StatusBadge key="state" status={status} />],
          [t("infrastructure.issued"), <Time key="issued" at={creationDate} />],
          [t("infrastructure.ends"), <Time key="ends" at={expirationDate} relative struck={status === "expired"} />],
          ...revoked,
          [
            t("activity.lastCheck"),
            <LastCheck key="check" check={lastCheckOf({ lastCheckAt: lastOcsp, revokedAt: revokeDate })} />,
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
      <Allowed to="audit">
        <AnchorLink to="/audit" search={{ about: `profile:${serial}` }} size="sm">
          {t("activity.all")}
        </AnchorLink>
      </Allowed>
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
                async onConfirm(confirmTotal) {
                  await revokeInfrastructureProfile(serial, confirmTotal);
                  await queries.invalidateQueries({ queryKey: [infrastructureKey] });
                  void queries.invalidateQueries({ queryKey: ["profile", serial] });
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
