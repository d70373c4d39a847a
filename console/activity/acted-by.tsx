import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../api/api-client.ts";
import { findOnboardingApp } from "../../domain/onboarding-apps.ts";
import { useMay } from "../session/may.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";

/**
 * Shows the actor of an event by the name that the API sent with the event, and the geteduroam app that a person used.
 */
export function ActedBy({ by }: { by: Schemas["ActedBy"] }) {
  const { t } = useTranslation();
  const app = by.kind === "application" ? undefined : findOnboardingApp(by.client_id);
  const actor = <ActorName by={by} />;
  if (app === undefined) return actor;
  return (
    <>
      {actor}{" "}
      <Text span inherit c="dimmed">
        {t("audit.via")} {app.name}
      </Text>
    </>
  );
}

function ActorName({ by: { kind, name, userID } }: { by: Schemas["ActedBy"] }) {
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
