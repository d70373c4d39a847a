import { Button, Group, Stack, Text } from "@mantine/core";
import { IconSearch } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isSearchable, searchEverything } from "../api/search-everything.ts";
import { openPalette } from "../ui/palette-state.ts";

/**
 * Shows that a list has no matches: how many results the searched text has elsewhere, a button that searches
 * everything, and a button that clears the search and filters.
 */
export function NothingFound({
  text,
  hint,
  onClear,
}: {
  /** Empty if only filters are set. */
  text: string;
  hint: string | undefined;
  onClear: () => void;
}) {
  const { t } = useTranslation();
  const elsewhere = useElsewhere(text);
  const isSearched = text !== "";
  const title = !isSearched
    ? t("list.noMatchFilter")
    : elsewhere === undefined || elsewhere.length > 0
      ? t("list.notHere", { q: text })
      : t("list.noMatch", { q: text });
  return (
    <Stack align="center" gap="xs" py="xl">
      <Text fw={600} style={{ overflowWrap: "anywhere" }} role="status">
        {title}
      </Text>
      {elsewhere !== undefined && elsewhere.length > 0 && (
        <Text>{t("list.elsewhere", { found: elsewhere.join(", ") })}</Text>
      )}
      {hint !== undefined && (
        <Text c="dimmed" ta="center">
          {hint}
        </Text>
      )}
      <Group>
        {isSearched && (
          <Button
            leftSection={<IconSearch size={16} aria-hidden />}
            onClick={() => {
              openPalette(text);
            }}
          >
            {t("list.searchEverywhere")}
          </Button>
        )}
        <Button variant="default" onClick={onClear}>
          {t("list.clearAll")}
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Returns how many results of each kind the search over everything finds; undefined until the results are loaded, empty
 * if the text is too short to search.
 */
function useElsewhere(text: string): string[] | undefined {
  const { t } = useTranslation();
  const { data } = useQuery(searchEverything(text.trim()));
  if (!isSearchable(text.trim())) return [];
  return data?.groups
    .filter(({ total }) => total > 0)
    .map(({ kind, total, isTotalExact }) =>
      t(`list.foundOf.${kind}`, { count: total, formatted: isTotalExact ? String(total) : `${total}+` }),
    );
}
