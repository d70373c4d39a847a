import { Button, Group } from "@mantine/core";
import { IconBan, IconDeviceMobilePlus, IconLock, IconLockOpen, IconPlus, IconUserShield } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { useMay } from "../session/may.ts";
import type { IntendedDeed } from "../ui/intent.ts";
import type { Status } from "../ui/value/status-badge.tsx";
import type { PaletteOption } from "./palette-option.ts";

const looks = {
  lock: { icon: IconLock, right: "lock" },
  unlock: { icon: IconLockOpen, right: "unlock" },
  newProfile: { icon: IconPlus, right: "createProfile" },
  setUpLink: { icon: IconDeviceMobilePlus, right: "offerSetUp" },
  changeRoles: { icon: IconUserShield, right: "giveRoles" },
  revoke: { icon: IconBan, right: "revokeProfile" },
} as const;

/** The actions on a person, and on a person's profile, by state. */
const ofUser: Partial<Record<Status, readonly IntendedDeed[]>> = {
  active: ["newProfile", "setUpLink", "lock", "changeRoles"],
  locked: ["unlock", "changeRoles"],
};
const ofProfile: Partial<Record<Status, readonly IntendedDeed[]>> = { active: ["revoke"] };

/** Shows the buttons for the chosen result. Each button opens the action's page, which asks the usual questions. */
export function HitActions({
  option: { label, hit, status },
  onAct,
}: {
  option: PaletteOption;
  onAct: (deed: IntendedDeed) => void;
}) {
  const { t } = useTranslation();
  const may = useMay();
  const labels: Record<IntendedDeed, string> = {
    lock: t("users.actions.lock"),
    unlock: t("users.actions.unlock"),
    newProfile: t("users.newProfile"),
    setUpLink: t("setUpLink.action"),
    changeRoles: t("roles.change"),
    revoke: t("profiles.revoke.action", { count: 1 }),
  };
  if (hit === undefined || status === undefined) return null;
  const deeds = ((hit === "user" ? ofUser : ofProfile)[status] ?? []).filter((deed) => may(looks[deed].right));
  if (deeds.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t("palette.actionsOn", { name: label })}>
      {deeds.map((deed) => {
        const { icon: Icon } = looks[deed];
        return (
          <Button
            key={deed}
            size="xs"
            variant="default"
            leftSection={<Icon size={14} aria-hidden />}
            onClick={() => {
              onAct(deed);
            }}
          >
            {labels[deed]}
          </Button>
        );
      })}
    </Group>
  );
}
