import { Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Found } from "../../list/list-state.ts";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { useOverview } from "../dashboard/overview.ts";
import { useCheck } from "../bulk-jobs/input/use-check.ts";
import type { Profile } from "./profile.ts";
import { reasons, revokedAtOnceMax, revokeProfiles, useProfilesChanged, type Reason } from "./revocation.ts";

/**
 * Returns a function that asks for confirmation and a reason, and then revokes the profiles: a few directly, more by a
 * bulk job.
 */
export function useRevoke(): (profiles: readonly Profile[], onDone?: () => void) => void {
  const { t } = useTranslation();
  const profilesChanged = useProfilesChanged();
  const revokeAsJob = useRevokeAsJob();
  return (profiles, onDone) => {
    const named = { count: profiles.length, name: profiles[0]?.name ?? "" };
    const serials = profiles.map(({ serial }) => serial);
    if (serials.length > revokedAtOnceMax) {
      revokeAsJob({ serials }, serials.length);
      return;
    }
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
      async onConfirm(confirmTotal) {
        await revokeProfiles(serials, reason, confirmTotal);
        notifyDone(t("profiles.revoke.done", named));
        onDone?.();
        await profilesChanged();
      },
    });
  };
}

/** Returns a function that asks for a reason and then makes a bulk job check the profiles. */
export function useRevokeAsJob(): (of: { serials: string[] } | { matching: Found }, count: number) => void {
  const { t } = useTranslation();
  const { check } = useCheck();
  return (of, count) => {
    let reason: Reason = 0;
    confirm({
      title: t("profiles.revoke.title", { count }),
      confirmLabel: t("profiles.revoke.check", { count }),
      children: (
        <RevokeQuestion
          text={t("profiles.revoke.asJob")}
          onReason={(chosen) => {
            reason = chosen;
          }}
        />
      ),
      onConfirm: () => check({ kind: "revocation", reason, of }),
    });
  };
}

function RevokeQuestion({ text, onReason }: { text: string; onReason: (reason: Reason) => void }) {
  const { t } = useTranslation();
  const { data: overview } = useOverview("24h");
  const [chosen, setChosen] = useState<string>(String(reasons[0]));
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      <Text size="sm">
        {t(overview?.disconnects === true ? "profiles.revoke.atOnce" : "profiles.revoke.withinAnHour")}
      </Text>
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
