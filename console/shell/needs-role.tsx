import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { rolesWith } from "../../domain/people/roles.ts";
import { needs, type Deed } from "../session/may.ts";
import { Page } from "../ui/page.tsx";

/** Shows, in place of a page that the user may not see, the roles that may see the page. */
export default function NeedsRole({ page }: { page: Deed }) {
  const { t, i18n } = useTranslation();
  const names = rolesWith(needs[page]).map((role) => t(`roles.names.${role}`));
  const list = new Intl.ListFormat(i18n.language, { type: "disjunction" }).format(names);
  return (
    <Page title={t("roles.needed")}>
      <Text>{t("roles.neededText", { roles: list })}</Text>
    </Page>
  );
}
