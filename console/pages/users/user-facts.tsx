import { Button, Group, Paper } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Allowed } from "../../session/allowed.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Facts } from "../../ui/value/facts.tsx";
import { StatusBadge, userStatus } from "../../ui/value/status-badge.tsx";
import { Time } from "../../ui/value/time.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import type { User } from "./load-users.ts";
import { SignInFact } from "./sign-in-fact.tsx";
import { VlanFact } from "./vlan-fact.tsx";
import { ProfilesUsed } from "./profiles/profiles-used.tsx";

export function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation();
  const [changing, { open, close }] = useDisclosure();
  const {
    userID,
    pairwiseID,
    email,
    displayName,
    creationTime,
    lockDate,
    blacklistDate,
    forgottenDate = null,
    profileOverride,
    maxProfiles,
  } = user;
  const since = (name: string, at: string | null): [string, ReactNode][] =>
    at === null ? [] : [[name, <Time key={name} at={at} />]];
  return (
    <Paper withBorder p="md">
      <Facts
        facts={[
          [t("users.columns.status"), <StatusBadge key="status" status={userStatus(user)} />],
          ...(forgottenDate === null
            ? ([
                ...(displayName ? ([[t("users.columns.name"), displayName]] satisfies [string, ReactNode][]) : []),
                [t("users.columns.email"), email === "" ? t("users.noEmail") : email],
              ] satisfies [string, ReactNode][])
            : []),
          [t("users.columns.profiles"), <ProfilesUsed key="profiles" user={user} />],
          [
            t("users.limit.label"),
            <Group key="limit" gap="xs">
              {t(profileOverride > 0 ? "users.limit.own" : "users.limit.realm", { limit: maxProfiles })}
              <Allowed to="changeLimit">
                <Button size="compact-sm" variant="default" onClick={open}>
                  {t("users.limit.change")}
                </Button>
              </Allowed>
            </Group>,
          ],
          ...(blacklistDate === null
            ? ([[t("users.vlan.label"), <VlanFact key="vlan" user={user} />]] satisfies [string, ReactNode][])
            : []),
          ...(forgottenDate === null
            ? ([[t("users.signIn.label"), <SignInFact key="signIn" userID={userID} />]] satisfies [string, ReactNode][])
            : []),
          [t("users.columns.created"), <Time key="created" at={creationTime} />],
          ...since(t("users.filters.locked"), lockDate),
          ...since(t("users.filters.offboarded"), blacklistDate),
          ...since(t("status.forgotten"), forgottenDate),
          ...[
            [t("users.columns.pairwiseID"), pairwiseID] as const,
            [t("users.columns.userID"), userID] as const,
          ].flatMap(([label, id]): [string, ReactNode][] =>
            id === "" ? [] : [[label, <CopyBox key={label} text={id} label={label} />]],
          ),
        ]}
      />
      {changing && <LimitDialog user={user} onClose={close} />}
    </Paper>
  );
}
