import { Anchor, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { KnownDeviceLink, useKnownDevice } from "../../ui/value/device.tsx";
import { GuestLink } from "../../ui/value/guest.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import { propertiesOf, subjectOf, type AuditEntry } from "./entry.ts";

/** Shows the subject of an entry, with a link if the subject has a page. */
export function About({ entry }: { entry: Pick<AuditEntry, "event" | "properties"> }) {
  const { t } = useTranslation();
  const subject = subjectOf(propertiesOf(entry));
  if (subject === undefined) return entry.event.startsWith("realm_") ? t("audit.subjects.realm") : null;
  const { kind, id } = subject;
  switch (kind) {
    case "person":
      return (
        <>
          <PersonLink userID={id} />
          <Device entry={entry} />
        </>
      );
    case "guest":
      return <GuestLink id={id} />;
    case "application":
      return (
        <AnchorLink inherit to="/applications/$clientId" params={{ clientId: id }}>
          <ApplicationName clientId={id} />
        </AnchorLink>
      );
    case "job":
      return (
        <AnchorLink inherit to="/jobs/$id" params={{ id }}>
          {t("audit.subjects.job")}
        </AnchorLink>
      );
    case "infrastructure":
      return <ServerLink serial={id} />;
    case "issuer":
      return entry.event !== "crl_publish" ? (
        t("audit.subjects.issuer", { id })
      ) : (
        <Anchor inherit href={`/crl/${id}.crl`}>
          {t("audit.subjects.crl", { id })}
        </Anchor>
      );
  }
}

/** Links to a server's certificate, by the name that the API returned with the list. */
function ServerLink({ serial }: { serial: string }) {
  const { t } = useTranslation();
  return (
    <AnchorLink inherit className="bounded" to="/infrastructure" search={{ q: serial }} title={serial}>
      {useKnownDevice(serial)?.name ?? t("audit.subjects.infrastructure")}
    </AnchorLink>
  );
}

/** Shows the person's device that an entry concerns. */
function Device({ entry }: { entry: Pick<AuditEntry, "properties"> }) {
  const { serial } = propertiesOf(entry);
  if (typeof serial !== "string") return null;
  return (
    <Text span inherit size="sm" display="block">
      <KnownDeviceLink serial={serial} />
    </Text>
  );
}
