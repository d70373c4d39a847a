import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { base } from "../../api/page-settings.ts";
import { Allowed } from "../../session/allowed.tsx";
import { useSession } from "../../session/session.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Time } from "../../ui/value/time.tsx";
import { Checklist } from "./checklist.tsx";
import { SetUpPicture } from "./set-up-picture.tsx";
import { setupKey, type Setup } from "./setup.ts";

/** Shows the checklist with its progress, a picture of the connections, and the button that finishes the set-up. */
export default function SetUpRealm({ setup }: { setup: Setup }) {
  const { t } = useTranslation();
  const { realm } = useSession();
  const done = setup.steps.filter(({ state }) => state === "done").length;
  return (
    <Stack component="section" gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h3">
            {t("setup.title")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("setup.progress", { done, all: setup.steps.length })}{" "}
            {setup.setUpAt !== null && (
              <>
                {t("setup.finishedAt")} <Time at={setup.setUpAt} />.
              </>
            )}
          </Text>
          <Anchor
            href={`${base}/docs/first-device?realm=${encodeURIComponent(realm.name)}`}
            target="_blank"
            size="sm"
            underline="always"
          >
            {t("setup.guide")}
          </Anchor>
        </div>
        {setup.setUpAt === null && (
          <Allowed to="changeSettings">
            <FinishButton open={setup.steps.length - done} />
          </Allowed>
        )}
      </Group>
      <SetUpPicture />
      <Checklist setup={setup} />
    </Stack>
  );
}

function FinishButton({ open }: { open: number }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const ask = () => {
    confirm({
      title: t("setup.finish.title"),
      children: (
        <Stack gap="xs">
          <Text size="sm">{t("setup.finish.closes")}</Text>
          <Text size="sm">{t("setup.finish.stays")}</Text>
          {open > 0 && <Text size="sm">{t("setup.finish.open", { count: open })}</Text>}
        </Stack>
      ),
      confirmLabel: t("setup.finish.button"),
      async onConfirm() {
        await dataOf(api.POST("/api/setup/finish"));
        await queries.invalidateQueries({ queryKey: setupKey });
        notifyDone(t("setup.finish.done"));
      },
    });
  };
  return (
    <Button variant="default" onClick={ask}>
      {t("setup.finish.button")}
    </Button>
  );
}
