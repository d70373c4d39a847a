import { Button, Menu, Text } from "@mantine/core";
import { IconDeviceMobile, IconLanguage, IconLogout } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { base } from "../api/page-settings.ts";
import { signOut, useSession } from "../session/session.tsx";
import { languages } from "../../domain/words/language.ts";
import { currentLanguage, speak } from "../texts/i18n.ts";

const names = { en: "English", de: "Deutsch" } as const;

/** Shows the user's menu. The menu starts open, because the first press of its button loads it. */
export default function AccountMenu() {
  const { t } = useTranslation();
  const { user, realm } = useSession();
  return (
    <Menu position="bottom-end" width={240} defaultOpened withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" px="xs" maw={180} aria-label={t("shell.account", { name: user.name })}>
          <Text size="sm" truncate>
            {user.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`${base}/me`} leftSection={<IconDeviceMobile size={16} aria-hidden />}>
          {t("shell.myDevices")}
        </Menu.Item>
        {languages
          .filter((language) => language !== currentLanguage())
          .map((language) => (
            <Menu.Item
              key={language}
              lang={language}
              leftSection={<IconLanguage size={16} aria-hidden />}
              onClick={() => void speak(language)}
            >
              {names[language]}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Label>{t("shell.zone", { zone: realm.timeZone })}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
