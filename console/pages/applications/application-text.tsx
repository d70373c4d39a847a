import { Code, Input, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Facts } from "../../ui/value/facts.tsx";
import { useApplicationFields } from "./application-form.ts";
import type { Application } from "./applications.ts";
import { ScopeList } from "./scope-list.tsx";

/** Shows an application's registration to users who may not change it. */
export function ApplicationText({ application }: { application: Application }) {
  const { t } = useTranslation();
  const fields = useApplicationFields();
  const switches = ["useClientSecret", "requirePKCE", "fullTokenAnswers"] as const;
  return (
    <Stack>
      <Title order={2} size="h3">
        {t("applications.settings")}
      </Title>
      <Facts facts={[[fields.clientURI.label, application.clientURI]]} />
      {application.redirectURIs.length > 0 && (
        <Facts
          facts={[
            [
              fields.redirectURIs.label,
              application.redirectURIs.map((address) => (
                <Code key={address} display="block" w="fit-content">
                  {address}
                </Code>
              )),
            ],
          ]}
        />
      )}
      <div>
        <Input.Label labelElement="div">{fields.scopes.label}</Input.Label>
        <ScopeList scopes={application.scopes} />
      </div>
      <Facts facts={switches.map((name) => [fields[name].label, t(`audit.values.${String(application[name])}`)])} />
    </Stack>
  );
}
