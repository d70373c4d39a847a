import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { propertiesOf, type AuditEntry } from "./entry.ts";

/** Links to all entries of a bulk job, for which the list shows one line. */
export function JobLine({ entry, isShown }: { entry: Pick<AuditEntry, "properties">; isShown: boolean }) {
  const { t } = useTranslation();
  const { job } = propertiesOf(entry);
  if (!isShown || typeof job !== "string") return null;
  return (
    <Text span inherit size="sm" display="block">
      <AnchorLink to="/audit" search={{ job }} inherit>
        {t("audit.allOfJob")}
      </AnchorLink>
    </Text>
  );
}
