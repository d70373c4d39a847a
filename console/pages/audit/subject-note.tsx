import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { KnownDeviceLink } from "../../ui/value/device.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import { actingPersonQuery } from "./acting-person.ts";
import { writtenSubject } from "./written-subject.ts";

/** Shows which person or subject the filter's text was understood as. */
export function SubjectNote({ written }: { written: string }) {
  const { t } = useTranslation();
  const subject = writtenSubject(written);
  const { data } = useQuery({ ...actingPersonQuery(written), enabled: subject === undefined });
  if (subject === undefined && (data === "unknown" || data === "ambiguous"))
    return (
      <Text size="sm" role="status">
        {t(data === "unknown" ? "audit.personUnknown" : "audit.personAmbiguous", { person: written })}
      </Text>
    );
  const meant = subject ?? (typeof data === "object" ? `user:${data.userID}` : undefined);
  if (meant === undefined) return null;
  return (
    <Text size="sm" role="status">
      {t("audit.aboutFound")} {meant.split(",").length === 1 ? <Subject subject={meant} /> : meant}
    </Text>
  );
}

function Subject({ subject }: { subject: string }) {
  const { t } = useTranslation();
  const kind = subject.slice(0, subject.indexOf(":"));
  const id = subject.slice(kind.length + 1);
  switch (kind) {
    case "user":
      return <PersonLink userID={id} inText />;
    case "profile":
      return <KnownDeviceLink serial={id} inText />;
    case "guest":
      return (
        <AnchorLink to="/guests/$guestAccountId" params={{ guestAccountId: id }} inherit underline="always">
          {t("audit.subjects.guest", { id })}
        </AnchorLink>
      );
    default:
      return <ApplicationName clientId={id} />;
  }
}
