import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { base } from "../../api/page-settings.ts";
import { useSession } from "../../session/session.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import type { Application } from "./applications.ts";
import { drawProof, exchangeCommand, serviceCommand, signInAddress } from "./first-request.ts";

/**
 * Shows the first steps with an application. The commands contain the application's ID; a service's command works
 * unchanged, and in the exchange of a code the user replaces `CODE`.
 */
export function TryIt({ application }: { application: Application }) {
  const { t } = useTranslation();
  const { realm } = useSession();
  const service = application.type === "service";
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("applications.tryIt")}
      </Title>
      {service ? (
        <>
          <Text size="sm">{t("applications.tryService")}</Text>
          <CopyBox text={serviceCommand(application.client_id)} label={t("applications.command")} block />
        </>
      ) : (
        <TryUseragent application={application} />
      )}
      <Text size="sm">
        <Anchor
          href={`${base}/docs/${service ? "quickstart" : "sign-in"}?${new URLSearchParams({ realm: realm.name, client: application.client_id }).toString()}`}
          inherit
        >
          {t(service ? "applications.quickstart" : "applications.signInGuide")}
        </Anchor>
      </Text>
    </Stack>
  );
}

function TryUseragent({
  application: { client_id: clientId, redirectURI, useClientSecret },
}: {
  application: Application;
}) {
  const { t } = useTranslation();
  const { data: proof } = useQuery({
    queryKey: ["proof", clientId],
    queryFn: drawProof,
    staleTime: Infinity,
  });
  if (proof === undefined) return null;
  const useragent = { clientId, redirectUri: redirectURI ?? "", useClientSecret };
  return (
    <>
      <Text size="sm">{t("applications.trySignIn")}</Text>
      <CopyBox text={signInAddress(useragent, proof)} label={t("applications.signInAddress")} block />
      <Text size="sm">{t(useClientSecret ? "applications.tryExchangeSecret" : "applications.tryExchange")}</Text>
      <CopyBox text={exchangeCommand(useragent, proof)} label={t("applications.command")} block />
    </>
  );
}
