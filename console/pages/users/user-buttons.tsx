import { Button } from "@mantine/core";
import { IconLock, IconLockOpen, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { User } from "./load-users.ts";
import { isPossible, type UserAction } from "./user-calls.ts";

const verbs = [
  { verb: "lock", icon: IconLock },
  { verb: "unlock", icon: IconLockOpen },
  { verb: "offboard", icon: IconUserOff, color: "red" },
  { verb: "reactivate", icon: IconUserCheck },
] as const;

/** A button for each thing that can be done with at least one of them. */
export function UserButtons({
  users,
  busy,
  size = "sm",
  onAct,
}: {
  users: readonly User[];
  busy: boolean;
  size?: "xs" | "sm";
  onAct: (verb: UserAction) => void;
}) {
  const { t } = useTranslation();
  return verbs
    .filter(({ verb }) => users.some(isPossible[verb]))
    .map(({ verb, icon: Icon, ...look }) => (
      <Button
        key={verb}
        size={size}
        variant={verb === "offboard" ? "light" : "default"}
        disabled={busy}
        leftSection={<Icon size={16} aria-hidden />}
        {...look}
        onClick={() => {
          onAct(verb);
        }}
      >
        {t(`users.actions.${verb}`)}
      </Button>
    ));
}
