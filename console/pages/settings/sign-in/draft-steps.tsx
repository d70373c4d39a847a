import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconCheck } from "../../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { confirm } from "../../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../../ui/notice/notify.tsx";
import { Facts } from "../../../ui/value/facts.tsx";
import { activate, discardDraft, signInKey, type SignInDraft } from "./sign-in.ts";
import { TestButton } from "./test-button.tsx";

/** Lets the user test a checked identity provider, and then put it into use. */
export function DraftSteps({ draft }: { draft: SignInDraft }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: signInKey });
  const { found, provider, clientID, tested, version } = draft;
  return (
    <Stack maw={860}>
      <Title order={2} size="h3">
        {t("settings.signIn.draft")}
      </Title>
      <Facts
        facts={[
          [t("settings.signIn.fields.issuer"), provider.issuer],
          [t("settings.signIn.fields.clientID"), clientID],
          [t("settings.signIn.endpoint"), found.authorizationEndpoint],
          ...(found.claims.length > 0 ? [[t("settings.signIn.offered"), found.claims.join(", ")] as const] : []),
        ]}
      />
      {tested && (
        <Alert color="green" icon={<IconCheck aria-hidden />}>
          {t("settings.signIn.tested")}
        </Alert>
      )}
      <Text size="sm">{t("settings.signIn.testNote")}</Text>
      <Group>
        <TestButton of="draft" />
        <Button
          disabled={!tested}
          onClick={() => {
            confirm({
              title: t("settings.signIn.useTitle"),
              children: t("settings.signIn.useText", { issuer: provider.issuer }),
              confirmLabel: t("settings.signIn.use"),
              async onConfirm() {
                await activate(version);
                await refresh();
                notifyDone(t("settings.signIn.used"));
              },
            });
          }}
        >
          {t("settings.signIn.use")}
        </Button>
        <Button variant="default" onClick={() => void discardDraft().then(refresh)}>
          {t("settings.signIn.discard")}
        </Button>
      </Group>
    </Stack>
  );
}
