import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ApplicationName } from "../../ui/value/application-name.tsx";
import { provisioningQuery } from "./user-calls.ts";

/** Shows which directory manages a person, because the directory may overwrite changes made here. */
export function DirectoryNote({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const { data } = useQuery(provisioningQuery(userID));
  if (data === undefined || data.scim === null) return null;
  const { client_id: clientId } = data.scim;
  return (
    <Text size="sm" c="dimmed">
      {clientId === null ? (
        t("users.directory.gone")
      ) : (
        <>
          {t("users.directory.managedBy")}{" "}
          {may("applications") ? (
            <AnchorLink to="/applications/$clientId" params={{ clientId }} inherit>
              <ApplicationName clientId={clientId} />
            </AnchorLink>
          ) : (
            t("users.directory.aDirectory")
          )}
          {t("users.directory.again")}
        </>
      )}
    </Text>
  );
}
