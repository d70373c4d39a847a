import { Button, Group, Text } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";
import { EntryDetails } from "./entry-details.tsx";
import { useEventText } from "./event-text.ts";
import { useEntryQuery } from "./load-entries.ts";

/** Shows one entry of the audit log, at a permanent address. */
export function EntryPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const text = useEventText();
  const { data: entry } = useQuery(useEntryQuery(id));
  const isUnknown = entry === null;
  return (
    <Page
      title={isUnknown ? t("audit.entry.unknown") : entry === undefined ? t("audit.entry.title") : text(entry)}
      lead={isUnknown ? undefined : t("audit.entry.lead", { id })}
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/audit" {...props} />}>
          {t("audit.entry.toLog")}
        </Button>
      }
    >
      {isUnknown ? (
        <Group>
          <Text>{t("audit.entry.unknownText", { id })}</Text>
        </Group>
      ) : (
        <EntryDetails id={id} isPage />
      )}
    </Page>
  );
}
