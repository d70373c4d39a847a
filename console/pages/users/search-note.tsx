import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconBan } from "../../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { serialDigits } from "../../../domain/serial-digits.ts";
import { DeviceLink } from "../../ui/value/device.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import { Serial } from "../../ui/value/serial.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { useDeviceTypeName } from "../../ui/value/device-types.ts";
import { isLive, statusOf, type Profile } from "../profiles/profile.ts";
import { useRevoke } from "../profiles/revoke.tsx";
import { serialHitsQuery } from "./serial-hits.ts";

/** Shows which fields the search uses, and the matching profiles if the text may be a serial number. */
export function SearchNote({ written }: { written: string }) {
  const { t } = useTranslation();
  const text = written.trim();
  const digits = serialDigits(text);
  if (text === "") return null;
  if (digits !== undefined) return <SerialHits digits={digits} />;
  return (
    <Text size="sm" c="dimmed" role="status">
      {t("users.understood.text", { text })}
    </Text>
  );
}

function SerialHits({ digits }: { digits: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(serialHitsQuery(digits));
  if (data === undefined) return null;
  const { profiles, total } = data;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {t("users.understood.serial", { count: total, text: digits })}
        {total > profiles.length && ` ${t("users.understood.moreDigits", { shown: profiles.length })}`}
      </Text>
      {profiles.map((profile) => (
        <Hit key={profile.serial} profile={profile} />
      ))}
    </Stack>
  );
}

function Hit({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const revoke = useRevoke();
  const { serial, name, owner, deviceType } = profile;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Stack gap={2} miw={0} flex={1}>
          <Group gap="xs">
            <Text fw={600}>
              <DeviceLink serial={serial} name={name} />
            </Text>
            <Text c="dimmed" size="sm">
              {deviceTypeName(deviceType)}
            </Text>
            <StatusBadge status={statusOf(profile)} />
          </Group>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {t("users.belongsTo")} <PersonLink userID={owner} inText /> · <Serial serial={serial} />
          </Text>
        </Stack>
        {isLive(profile) && (
          <Button
            color="red"
            variant="light"
            leftSection={<IconBan size={16} aria-hidden />}
            aria-label={t("profiles.revoke.actionFor", { name })}
            onClick={() => {
              revoke([profile]);
            }}
          >
            {t("profiles.revoke.action", { count: 1 })}
          </Button>
        )}
      </Group>
    </Paper>
  );
}
