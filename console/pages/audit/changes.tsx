import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Change } from "./entry.ts";
import { SettingValue } from "./setting-value.tsx";

export function Changes({ changes }: { changes: readonly Change[] }) {
  const { t } = useTranslation();
  return (
    <Table.ScrollContainer
      minWidth={280}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": t("audit.entry.setting") } }}
    >
      <Table withTableBorder verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("audit.entry.setting")}</Table.Th>
            <Table.Th>{t("audit.entry.before")}</Table.Th>
            <Table.Th>{t("audit.entry.after")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ name, before, after }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{t(`audit.fields.${name}`, { defaultValue: name })}</Table.Th>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <SettingValue name={name} value={before} />
              </Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <SettingValue name={name} value={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
