import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { scopePresets } from "../../../domain/people/scope-presets.ts";
import type { ApplicationScope, ApplicationType } from "./applications.ts";

/** Shows buttons that select exactly the scopes that a common application needs. */
export function ScopePresets({
  type,
  value,
  onChoose,
}: {
  type: ApplicationType;
  value: readonly ApplicationScope[];
  onChoose: (scopes: ApplicationScope[]) => void;
}) {
  const { t } = useTranslation();
  const presets: [name: string, scopes: readonly ApplicationScope[]][] = Object.entries(scopePresets[type]);
  return (
    <Group gap="xs" role="group" aria-label={t("applications.presets.title")}>
      <Text size="sm" c="dimmed" aria-hidden>
        {t("applications.presets.title")}
      </Text>
      {presets.map(([name, scopes]) => (
        <Button
          key={name}
          size="compact-sm"
          variant="default"
          aria-pressed={value.length === scopes.length && scopes.every((scope) => value.includes(scope))}
          onClick={() => {
            onChoose([...scopes]);
          }}
        >
          {t(`applications.presets.${name}`)}
        </Button>
      ))}
    </Group>
  );
}
