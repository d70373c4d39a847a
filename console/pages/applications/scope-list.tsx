import { Box, List, Popover, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ApplicationScope } from "./applications.ts";
import { scopeTextKey } from "./scope-groups.ts";

export function ScopeList({ scopes }: { scopes: readonly ApplicationScope[] }) {
  const { t } = useTranslation();
  return (
    <List size="sm">
      {scopes.map((scope) => (
        <List.Item key={scope}>
          {t(scopeTextKey(scope))} (<code>{scope}</code>)
        </List.Item>
      ))}
    </List>
  );
}

/** Shows the number of scopes; a press lists them. */
export function ScopeCount({ scopes, name }: { scopes: readonly ApplicationScope[]; name: string }) {
  const { t } = useTranslation();
  return (
    <Popover width={280} shadow="md" position="bottom-start" withinPortal>
      <Popover.Target>
        <UnstyledButton
          td="underline"
          fz="sm"
          mih={24}
          aria-label={t("applications.scopesOf", { count: scopes.length, name })}
          style={{ textDecorationStyle: "dotted" }}
        >
          {t("applications.scopeCount", { count: scopes.length })}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("applications.fields.scopes")}>
        <Box mah={300} tabIndex={0} style={{ overflowY: "auto" }}>
          <ScopeList scopes={scopes} />
        </Box>
      </Popover.Dropdown>
    </Popover>
  );
}
