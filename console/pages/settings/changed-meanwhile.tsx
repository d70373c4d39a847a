import { Alert, Button, Group, List, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { changesBetween, settingNames, type RealmSettings } from "./realm.ts";
import { useSettingFields, useShownValue } from "./setting-fields.ts";

/** Says what was changed elsewhere while the form was open, and asks whose values shall hold. */
export function ChangedMeanwhile({
  before,
  now,
  onTake,
  onKeep,
}: {
  before: RealmSettings;
  now: RealmSettings;
  onTake: () => void;
  onKeep: () => void;
}) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const shown = useShownValue();
  const changes = changesBetween(before, now);
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    notice.current?.focus();
  }, [now]);
  return (
    <Alert
      ref={notice}
      tabIndex={-1}
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("settings.meanwhile.title")}
      role="alert"
    >
      <Text size="sm">{t("settings.meanwhile.text")}</Text>
      <List size="sm" my="xs">
        {settingNames
          .filter((name) => changes[name] !== undefined)
          .map((name) => (
            <List.Item key={name} style={{ overflowWrap: "anywhere" }}>
              {fields[name].label}: {shown(name, now)}
            </List.Item>
          ))}
      </List>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTake}>
          {t("settings.meanwhile.take")}
        </Button>
        <Button size="xs" variant="default" onClick={onKeep}>
          {t("settings.meanwhile.keep")}
        </Button>
      </Group>
    </Alert>
  );
}
