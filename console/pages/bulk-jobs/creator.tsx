import { useTranslation } from "react-i18next";
import { useSession } from "../../session/session.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { PersonLink } from "../../ui/value/person.tsx";

/** Shows the creator of a job: a person, or an application that acted for itself. */
export function Creator({ createdBy }: { createdBy: string }) {
  const { t } = useTranslation();
  const { user } = useSession();
  if (createdBy === "") return "–";
  if (createdBy === user.userID) return t("jobs.you");
  return /^[1-9][0-9]{0,18}$/.test(createdBy) ? (
    <PersonLink userID={createdBy} />
  ) : (
    <ApplicationName clientId={createdBy} />
  );
}
