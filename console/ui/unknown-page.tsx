import { Button, Group, Text } from "@mantine/core";
import { IconSearch } from "./icons.tsx";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { openPalette } from "./palette-state.ts";
import { Page } from "./page.tsx";

/** Shows the page for an unknown address, with a search for the last part of that address. */
export function UnknownPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const wanted = lastPartOf(pathname);
  useEffect(() => {
    openPalette(wanted);
  }, [wanted]);
  return (
    <Page title={t("shell.unknownPage")}>
      <Text>{t("shell.unknownPageText")}</Text>
      <Group mt="md">
        <Button
          leftSection={<IconSearch size={16} aria-hidden />}
          onClick={() => {
            openPalette(wanted);
          }}
        >
          {t("shell.search")}
        </Button>
        <Button component={Link} to="/" variant="default">
          {t("nav.dashboard")}
        </Button>
      </Group>
    </Page>
  );
}

function lastPartOf(pathname: string): string {
  const part = pathname.split("/").findLast((one) => one !== "") ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
