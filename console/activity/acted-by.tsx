import { useTranslation } from "react-i18next";
import type { Schemas } from "../api/api-client.ts";
import { useMay } from "../session/may.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";

/** Names the actor of an event, by the name that the API sent with it. */
export function ActedBy({ by: { kind, name, userID } }: { by: Schemas["ActedBy"] }) {
  const { t } = useTranslation();
  const mayKnow = useMay()("users");
  const text = name ?? t(`activity.by.${kind}`);
  if (userID === undefined || !mayKnow) return text;
  return (
    <AnchorLink to="/users/$userID" params={{ userID }} inherit miw={24} mih={24} display="inline-block">
      {text}
    </AnchorLink>
  );
}
