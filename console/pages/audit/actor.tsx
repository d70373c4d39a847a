import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import type { AuditEntry } from "./entry.ts";

/** Shows the actor of an entry: a person, an application, a person through an application, or nobody. */
export function Actor({ entry: { user, client } }: { entry: Pick<AuditEntry, "user" | "client"> }) {
  const { t } = useTranslation();
  const person = user !== null && <PersonLink userID={String(user)} inText={client !== null} />;
  if (client === null) return person || t("audit.nobody");
  const application = <ApplicationName clientId={client} />;
  if (!person) return application;
  return (
    <>
      {person}{" "}
      <Text span inherit c="dimmed">
        {t("audit.via")} {application}
      </Text>
    </>
  );
}
