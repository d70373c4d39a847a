import { Button, Checkbox, Fieldset, Group, Input, SimpleGrid, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ApplicationScope, ApplicationType } from "./applications.ts";
import { isMachineScope } from "../../../domain/people/scopes.ts";
import { ScopePresets } from "./scope-presets.tsx";
import { scopeGroupsOf, scopeTextKey, toggled } from "./scope-groups.ts";

/** Shows checkboxes for an application's scopes, grouped by subject. */
export function ScopeFields({
  type,
  value,
  onChange,
  error,
}: {
  type: ApplicationType;
  value: readonly ApplicationScope[];
  onChange: (scopes: ApplicationScope[]) => void;
  error?: React.ReactNode;
}) {
  const { t } = useTranslation();
  const groups = scopeGroupsOf(type);
  const known = groups.flatMap(({ scopes }) => scopes);
  const all = known.filter((scope) => !isMachineScope(scope));
  const toggle = (scope: ApplicationScope, on: boolean) => {
    const after = toggled(value, scope, on);
    const unlisted = value.filter((each) => !known.includes(each));
    onChange([...known.filter((each) => after.includes(each)), ...unlisted]);
  };

  return (
    <Stack gap="xs" role="group" aria-label={t("applications.fields.scopes")} data-path="scopes" tabIndex={-1}>
      <Group justify="space-between">
        <Input.Label labelElement="div" required>
          {t("applications.fields.scopes")}
        </Input.Label>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            onChange(value.length === all.length ? [] : [...all]);
          }}
        >
          {t(value.length === all.length ? "applications.noScopes" : "applications.allScopes")}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t("applications.fields.scopesHint")}
      </Text>
      <ScopePresets type={type} value={value} onChoose={onChange} />
      {error !== undefined && error !== null && <Input.Error>{error}</Input.Error>}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {groups.map(({ name, scopes }) => (
          <Fieldset key={name} legend={t(`applications.scopeGroups.${name}`)} p="sm">
            <Stack gap="xs">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  checked={value.includes(scope)}
                  label={<span className="sentence">{t(scopeTextKey(scope))}</span>}
                  description={<code>{scope}</code>}
                  onChange={(event) => {
                    toggle(scope, event.currentTarget.checked);
                  }}
                />
              ))}
            </Stack>
          </Fieldset>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
