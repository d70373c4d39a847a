import { Anchor, Button, Stack, Text } from "@mantine/core";
import { IconDownload } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { base } from "../../api/page-settings.ts";
import { useSession } from "../../session/session.tsx";
import { ShownOnce } from "../../ui/dialog/shown-once.tsx";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";
import { filesOf } from "./profile-files.ts";

/** Shows the files of a new profile, only once. */
export function CreatedFiles({ profile, onDone }: { profile: CreatedInfrastructureProfile; onDone: () => void }) {
  const { t } = useTranslation();
  const { realm } = useSession();
  return (
    <ShownOnce
      title={t("infrastructure.shownOnce")}
      warning={t("infrastructure.shownOnceText")}
      storedLabel={t("infrastructure.stored")}
      doneLabel={t("confirm.close")}
      onDone={onDone}
    >
      <Stack gap="md">
        {filesOf(profile).map(({ kind, name, save }) => (
          <Stack key={kind} gap={4} align="flex-start">
            <Button
              variant={kind === "radiusCA" ? "default" : "light"}
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={save}
              maw="100%"
            >
              {name}
            </Button>
            <Text size="sm" c="dimmed">
              {t(`infrastructure.files.${kind}`)}
            </Text>
          </Stack>
        ))}
      </Stack>
      <Text size="sm">
        {t("infrastructure.hint", { radiusCN: profile.radiusCN })}{" "}
        <Anchor
          href={`${base}/docs/radius?realm=${encodeURIComponent(realm.name)}`}
          target="_blank"
          underline="always"
          inherit
        >
          {t("infrastructure.guide")}
        </Anchor>
      </Text>
    </ShownOnce>
  );
}
