import { Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { changesBetween, settingNames, type RealmSettings } from "./realm.ts";
import { useSettingFields, useShownValue } from "./setting-fields.ts";
import { AffectedUsers } from "./affected-users.tsx";

/** Shows what saving would change, and for which users. */
export function ChangeReview({
  before,
  after,
  busy,
  onSave,
  onCancel,
}: {
  before: RealmSettings;
  after: RealmSettings;
  busy: boolean;
  onSave: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const shown = useShownValue();
  const changes = changesBetween(before, after);
  const changed = settingNames.filter((name) => changes[name] !== undefined);
  return (
    <Modal
      opened
      size="lg"
      onClose={onCancel}
      returnFocus={false}
      title={t("settings.reviewTitle")}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      <Stack>
        {changed.length === 0 ? (
          <Text size="sm">{t("settings.nothingChanges")}</Text>
        ) : (
          <Table.ScrollContainer
            minWidth={320}
            scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": t("settings.reviewTitle") } }}
          >
            <Table aria-label={t("settings.reviewTitle")}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("settings.setting")}</Table.Th>
                  <Table.Th>{t("settings.before")}</Table.Th>
                  <Table.Th>{t("settings.after")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {changed.map((name) => (
                  <Table.Tr key={name}>
                    <Table.Th scope="row">{fields[name].label}</Table.Th>
                    <Table.Td style={{ overflowWrap: "anywhere" }}>{shown(name, before)}</Table.Td>
                    <Table.Td style={{ overflowWrap: "anywhere" }}>{shown(name, after)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <AffectedUsers before={before} after={after} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onCancel}>
            {t("confirm.cancel")}
          </Button>
          <Button loading={busy} disabled={changed.length === 0} onClick={onSave}>
            {t("forms.save")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
