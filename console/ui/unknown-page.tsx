import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "./page.tsx";

/** For an address that nothing is at. */
export function UnknownPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("shell.unknownPage")}>
      <Text>{t("shell.unknownPageText")}</Text>
      <Button component={Link} to="/" mt="md" w="fit-content">
        {t("nav.dashboard")}
      </Button>
    </Page>
  );
}
