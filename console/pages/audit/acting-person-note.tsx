import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { PersonLink } from "../../ui/value/person.tsx";
import { actingPersonQuery } from "./acting-person.ts";

/** Shows which person the filter's text was understood as. */
export function ActingPersonNote({ written }: { written: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(actingPersonQuery(written));
  if (data === undefined) return null;
  return (
    <Text size="sm" role="status">
      {data === "unknown" && t("audit.personUnknown", { person: written })}
      {data === "ambiguous" && t("audit.personAmbiguous", { person: written })}
      {typeof data === "object" && (
        <>
          {t("audit.personFound")} <PersonLink userID={data.userID} inText />
        </>
      )}
    </Text>
  );
}
