import { Alert, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, type Schemas } from "../api/api-client.ts";
import { Allowed } from "../session/allowed.tsx";
import { useWords } from "../texts/words.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { CopyBox } from "../ui/value/copy-box.tsx";
import { ErrorNotice } from "../ui/notice/error-notice.tsx";
import { Facts } from "../ui/value/facts.tsx";
import { StatusBadge } from "../ui/value/status-badge.tsx";
import { Time } from "../ui/value/time.tsx";
import { profileActivityQuery } from "./activity.ts";
import { useCheckFacts } from "./check-facts.tsx";
import { DiagnosisCard } from "./diagnosis-card.tsx";
import { useRevocationFacts } from "./revocation-facts.tsx";

type Activity = Schemas["OwnedProfileActivity"];

/** Shows the details of a profile of any kind, from its activity. `actions` returns the page's buttons. */
export function ActivityDetails({ serial, actions }: { serial: string; actions?: (activity: Activity) => ReactNode }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(profileActivityQuery(serial));
  if (data !== undefined) return <Details activity={data}>{actions?.(data)}</Details>;
  if (error === null) return <Skeleton height={240} aria-label={t("shell.loading")} role="status" />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title={t("profiles.details.unknown")}>
        {t("profiles.details.unknownText")}
      </Alert>
    );
  return <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

function Details({ activity, children }: { activity: Activity; children: ReactNode }) {
  const { t } = useTranslation();
  const { deviceTypes } = useWords();
  const { serial, kind, name, state, deviceType, guestAccount, identity, issuedAt, expiresAt } = activity;
  const { revocation, diagnosis } = activity;
  const checks = useCheckFacts(activity);
  const revoked = useRevocationFacts({ revokedAt: revocation?.at ?? null, known: revocation });
  return (
    <Stack>
      <Group justify="space-between">
        <Text fw={600} size="lg" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <StatusBadge status={state} />
      </Group>
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          {t("profiles.columns.serial")}
        </Text>
        <CopyBox text={serial} label={t("profiles.columns.serial")} />
      </Stack>
      {kind !== "infrastructure" && <DiagnosisCard diagnosis={diagnosis} identity={identity} kind={kind} />}
      <Facts
        facts={[
          ...(guestAccount === null
            ? []
            : [
                [
                  t("guests.one"),
                  <AnchorLink
                    key="account"
                    to="/guests/$guestAccountId"
                    params={{ guestAccountId: guestAccount.id }}
                    inherit
                  >
                    {guestAccount.name}
                  </AnchorLink>,
                ] as const,
              ]),
          ...(deviceType === null ? [] : [[t("profiles.columns.deviceType"), deviceTypes[deviceType].name] as const]),
          [t("profiles.columns.created"), <Time key="created" at={issuedAt} />],
          [t("profiles.columns.expires"), <Time key="expires" at={expiresAt} relative struck={state === "expired"} />],
          ...checks,
          ...revoked,
        ]}
      />
      <Allowed to="audit">
        <AnchorLink to="/audit" search={{ about: `profile:${serial}` }} size="sm">
          {t("activity.all")}
        </AnchorLink>
      </Allowed>
      {children}
    </Stack>
  );
}
