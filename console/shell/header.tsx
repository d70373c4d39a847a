import { ActionIcon, Avatar, Burger, Button, Group, Text, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun, IconSunMoon } from "../ui/icons.tsx";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadPart } from "../ui/load-file.ts";
import { useSession } from "../session/session.tsx";
import { PaletteButton } from "./palette-button.tsx";

const AccountMenu = lazy(() => loadPart(() => import("./account-menu.tsx")));

export function Header({ opened, onToggle }: { opened: boolean; onToggle: () => void }) {
  const { t } = useTranslation();
  const { realm } = useSession();
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={opened}
          onClick={onToggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={t("shell.navigation")}
          aria-expanded={opened}
        />
        <Avatar radius="md" size={34} color="indigo" variant="filled" aria-hidden>
          {Array.from(realm.displayName)[0]?.toUpperCase()}
        </Avatar>
        <Text fw={600} truncate visibleFrom="xs">
          {realm.displayName}
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap" miw={0}>
        <PaletteButton />
        <ThemeButton />
        <Account />
      </Group>
    </Group>
  );
}

const schemes = ["auto", "light", "dark"] as const;
const schemeIcons = { auto: IconSunMoon, light: IconSun, dark: IconMoon } as const;

function ThemeButton() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = schemeIcons[colorScheme];
  const next = schemes[(schemes.indexOf(colorScheme) + 1) % schemes.length] ?? "auto";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      onClick={() => {
        setColorScheme(next);
      }}
      aria-label={t("shell.theme", { theme: t(`shell.themes.${colorScheme}`) })}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}

/** Shows the button of the account menu; the first press loads the menu. */
function Account() {
  const { t } = useTranslation();
  const { user } = useSession();
  const [asked, setAsked] = useState(false);
  const button = (
    <Button
      variant="default"
      px="xs"
      maw={180}
      aria-label={t("shell.account", { name: user.name })}
      aria-haspopup="menu"
      onClick={() => {
        setAsked(true);
      }}
    >
      <Text size="sm" truncate>
        {user.name}
      </Text>
    </Button>
  );
  return asked ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  );
}
