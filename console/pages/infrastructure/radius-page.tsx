import { Alert, Card } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Page } from "../../ui/page.tsx";
import { RadiusForm } from "./radius-form.tsx";
import type { RadiusPackage } from "./radius-package.ts";
import { RadiusSteps } from "./radius-steps.tsx";

/** Makes one file with the whole set-up of a FreeRADIUS server, and waits for the server's first request. */
export function RadiusPage() {
  const { t } = useTranslation();
  const [made, setMade] = useState<RadiusPackage>();
  const { data, error, refetch } = useQuery({
    queryKey: ["realm-settings", "radius"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/realm/settings", { signal })),
  });
  return (
    <Page title={t("freeradius.title")} lead={t("freeradius.lead")}>
      <Allowed to="createInfrastructure">
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data !== undefined &&
          (made !== undefined ? (
            <RadiusSteps made={made} />
          ) : data.radiusCA === null ? (
            <Card withBorder maw={760}>
              <RadiusForm name={data.radiusCN ?? `radius.${data.domain}`} onMade={setMade} />
            </Card>
          ) : (
            <Alert color="orange" maw={760} title={t("freeradius.otherCA")}>
              {t("freeradius.otherCAText")}
            </Alert>
          ))}
      </Allowed>
    </Page>
  );
}
