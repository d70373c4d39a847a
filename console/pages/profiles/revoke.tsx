import { Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import type { Profile } from "./profile.ts";
import { reasons, revokeProfiles, useProfilesChanged, type Reason } from "./revocation.ts";

/** Asks before profiles are revoked, with the reason to choose. */
export function useRevoke(): (profiles: readonly Profile[], onDone?: () => void) => void {
  const { t } = useTranslation();
  const profilesChanged = useProfilesChanged();
  return (profiles, onDone) => {
    const named = { count: profiles.length, name: profiles[0]?.name ?? "" };
    let reason: Reason = 0;
    confirm({
      title: t("profiles.revoke.title", named),
      confirmLabel: t("profiles.revoke.confirm", named),
      children: (
        <RevokeQuestion
          text={t("profiles.revoke.text", named)}
          onReason={(chosen) => {
            reason = chosen;
          }}
        />
      ),
      async onConfirm() {
        await revokeProfiles(
          profiles.map(({ serial }) => serial),
          reason,
        );
        notifyDone(t("profiles.revoke.done", named));
        onDone?.();
        await profilesChanged();
      },
    });
  };
}

function RevokeQuestion({ text, onReason }: { text: string; onReason: (reason: Reason) => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>(String(reasons[0]));
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      <Select
        label={t("profiles.revoke.reason")}
        data={reasons.map((reason) => ({ value: String(reason), label: t(`profiles.reasons.${reason}`) }))}
        value={chosen}
        allowDeselect={false}
        onChange={(value) => {
          const reason = reasons.find((known) => String(known) === value) ?? reasons[0];
          setChosen(String(reason));
          onReason(reason);
        }}
      />
    </Stack>
  );
}
