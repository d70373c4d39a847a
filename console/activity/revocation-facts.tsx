import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../api/api-client.ts";
import { Allowed } from "../session/allowed.tsx";
import { AnchorLink } from "../ui/anchor-link.tsx";
import type { Fact } from "../ui/value/facts.tsx";
import { Time } from "../ui/value/time.tsx";
import { ActedBy } from "./acted-by.tsx";

type Revocation = NonNullable<Schemas["ProfileActivity"]["revocation"]>;

/**
 * Returns the time, actor and reason of a profile's revocation, or nothing if the profile is not revoked. `known` may
 * load later.
 */
export function useRevocationFacts({
  revokedAt,
  known,
}: {
  revokedAt: string | null;
  known: Revocation | null | undefined;
}): Fact[] {
  const { t } = useTranslation();
  if (revokedAt === null) return [];
  return [
    [t("profiles.details.revoked"), <Revoked key="revoked" at={revokedAt} known={known ?? null} />],
    ...(known ? [[t("profiles.revoke.reason"), t(`profiles.reasons.${known.reason}`)] as const] : []),
  ];
}

/** Shows the time and actor of a revocation, with a link to its audit entry. */
function Revoked({ at, known }: { at: string; known: Revocation | null }) {
  const { t } = useTranslation();
  const by = known?.by ?? null;
  const auditID = known?.auditID ?? null;
  return (
    <>
      <Time at={at} />
      {by !== null && (
        <Text inherit>
          <ActedBy by={by} />
        </Text>
      )}
      {auditID !== null && (
        <Allowed to="audit">
          <AnchorLink to="/audit/$id" params={{ id: auditID }} inherit display="block">
            {t("activity.entry")}
          </AnchorLink>
        </Allowed>
      )}
    </>
  );
}
