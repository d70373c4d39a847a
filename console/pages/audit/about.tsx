import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { PersonLink } from "../../ui/value/person.tsx";
import { propertiesOf, subjectOf, type AuditEntry } from "./entry.ts";

/** Links to the subject of an entry. */
export function About({ entry }: { entry: Pick<AuditEntry, "event" | "properties"> }) {
  const { t } = useTranslation();
  const subject = subjectOf(propertiesOf(entry));
  if (subject === undefined) return entry.event.startsWith("realm_") ? t("audit.subjects.realm") : null;
  const { kind, id } = subject;
  switch (kind) {
    case "person":
      return <PersonLink userID={id} />;
    case "guest":
      return (
        <AnchorLink inherit to="/guests/$guestAccountId" params={{ guestAccountId: id }}>
          {t("audit.subjects.guest", { id })}
        </AnchorLink>
      );
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
      return (
        <AnchorLink inherit to="/infrastructure" search={{ q: id }}>
          {t("audit.subjects.infrastructure")}
        </AnchorLink>
      );
    case "issuer":
      return t("audit.subjects.issuer", { id });
  }
}
