import { Group, Kbd, Modal, Stack, Switch, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../session/may.ts";
import { places } from "./navigation.ts";
import { paletteKeys } from "./palette-button.tsx";

/** Lists all shortcuts, with the switch that turns them off. */
export default function ShortcutsDialog({
  opened,
  enabled,
  onEnable,
  onClose,
}: {
  opened: boolean;
  enabled: boolean;
  onEnable: (enabled: boolean) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("shortcuts.title")}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      <Stack gap="xs">
        <Shortcut keys={[paletteKeys]} meaning={t("shortcuts.search")} />
        <Shortcut keys={["/"]} meaning={t("shortcuts.search")} />
        {places
          .filter(({ name }) => may(name))
          .map(({ name, key }) => (
            <Shortcut key={name} keys={["g", key]} meaning={t(`nav.${name}`)} />
          ))}
        <Shortcut keys={["?"]} meaning={t("shortcuts.help")} />
        <Shortcut keys={["Esc"]} meaning={t("shortcuts.escape")} />
        <Switch
          mt="sm"
          checked={enabled}
          label={t("shortcuts.enabled")}
          onChange={(event) => {
            onEnable(event.currentTarget.checked);
          }}
        />
      </Stack>
    </Modal>
  );
}

function Shortcut({ keys, meaning }: { keys: readonly string[]; meaning: string }) {
  return (
    <Group justify="space-between">
      <Text size="sm">{meaning}</Text>
      <Group gap={4}>
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  );
}
