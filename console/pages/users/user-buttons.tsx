import { Button } from "@mantine/core";
import { IconLock, IconLockOpen, IconUserCheck, IconUserOff } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import type { Found } from "../../list/list-state.ts";
import { useMay } from "../../session/may.ts";
import type { User } from "./load-users.ts";
import { isPossible, jobOf, type UserAction, type UserJobKind } from "./user-calls.ts";

const verbs = [
  { verb: "lock", icon: IconLock },
  { verb: "unlock", icon: IconLockOpen },
  { verb: "offboard", icon: IconUserOff, variant: "light", color: "red" },
  { verb: "reactivate", icon: IconUserCheck },
] as const;

/** Shows a button for each action that is possible for at least one of the users. */
export function UserButtons({
  users,
  size = "sm",
  ...rest
}: {
  users: readonly User[];
  busy: boolean;
  size?: "xs" | "sm";
  onAct: (verb: UserAction) => void;
}) {
  return <Buttons isOffered={(verb) => users.some(isPossible[verb])} size={size} {...rest} />;
}

/** Shows a button for each bulk job that can change users in the list's result. The job covers the whole result. */
export function AllUsersButtons({
  found,
  onAct,
  ...rest
}: {
  found: Found;
  busy: boolean;
  onAct: (kind: UserJobKind) => void;
}) {
  const state = found.filter?.["state"];
  const isOffered = (verb: UserAction) =>
    jobOf[verb] !== undefined && (state === undefined || (state === "offboarded") === (verb === "reactivate"));
  return (
    <Buttons
      isOffered={isOffered}
      size="xs"
      {...rest}
      onAct={(verb) => {
        const kind = jobOf[verb];
        if (kind !== undefined) onAct(kind);
      }}
    />
  );
}

function Buttons({
  isOffered,
  busy,
  size,
  onAct,
}: {
  isOffered: (verb: UserAction) => boolean;
  busy: boolean;
  size: "xs" | "sm";
  onAct: (verb: UserAction) => void;
}) {
  const { t } = useTranslation();
  const may = useMay();
  return verbs
    .filter(({ verb }) => may(verb) && isOffered(verb))
    .map(({ verb, icon: Icon, ...look }) => (
      <Button
        key={verb}
        size={size}
        variant="default"
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
