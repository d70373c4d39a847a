import { ActionIcon, Button, Kbd } from "@mantine/core";
import { IconSearch } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { openPalette } from "../ui/palette-state.ts";

/** Shows a button that looks like a field and opens the palette; on phones, an icon. */
export function PaletteButton() {
  const { t } = useTranslation();
  const open = () => {
    openPalette();
  };
  return (
    <>
      <ActionIcon
        hiddenFrom="sm"
        variant="default"
        size="lg"
        aria-label={t("shell.search")}
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      <Button
        visibleFrom="sm"
        variant="default"
        w={{ base: 190, md: 300 }}
        fw={400}
        c="dimmed"
        justify="space-between"
        styles={{ label: { flex: 1 } }}
        aria-label={t("shell.search")}
        aria-haspopup="dialog"
        onClick={open}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">{paletteKeys}</Kbd>}
      >
        {t("shell.searchHint")}
      </Button>
    </>
  );
}

/** Apple keyboards use ⌘ where others use Ctrl. */
export const paletteKeys = /^(?:Mac|iP)/.test(navigator.platform) ? "⌘ K" : "Ctrl K";
