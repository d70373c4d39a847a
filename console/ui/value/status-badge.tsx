import { Badge } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconClock,
  IconClockX,
  IconEraser,
  IconLoader2,
  IconLock,
  IconPlayerPause,
  IconUserOff,
} from "../icons.tsx";
import { useTranslation } from "react-i18next";
import { renewalDays } from "../../../domain/lifetimes.ts";

/** The colour and icon of each status, shown with its word. */
const statuses = {
  active: { color: "teal", icon: IconCircleCheck },
  locked: { color: "yellow", icon: IconLock },
  offboarded: { color: "gray", icon: IconUserOff },
  forgotten: { color: "gray", icon: IconEraser },
  revoked: { color: "gray", icon: IconBan },
  expired: { color: "gray", icon: IconClockX },
  expiring: { color: "orange", icon: IconClock },
  off: { color: "gray", icon: IconPlayerPause },
  failed: { color: "red", icon: IconAlertTriangle },
  checking: { color: "cyan", icon: IconLoader2 },
  ready: { color: "yellow", icon: IconClock },
  scheduled: { color: "cyan", icon: IconClock },
  queued: { color: "cyan", icon: IconClock },
  running: { color: "cyan", icon: IconLoader2 },
  grace: { color: "yellow", icon: IconClock },
  cancelling: { color: "orange", icon: IconLoader2 },
  cancelled: { color: "gray", icon: IconBan },
  undone: { color: "gray", icon: IconArrowBackUp },
  completed: { color: "teal", icon: IconCircleCheck },
  completed_with_errors: { color: "orange", icon: IconAlertTriangle },
  fresh: { color: "teal", icon: IconCircleCheck },
  due: { color: "yellow", icon: IconClock },
  stale: { color: "red", icon: IconAlertTriangle },
  todo: { color: "gray", icon: IconCircleDashed },
  set: { color: "cyan", icon: IconClock },
  done: { color: "teal", icon: IconCircleCheck },
  warning: { color: "orange", icon: IconAlertTriangle },
} as const;
export type Status = keyof typeof statuses;

export function StatusBadge({ status }: { status: Status }) {
  const { t } = useTranslation();
  const { color, icon: Icon } = statuses[status];
  return (
    <Badge color={color} variant="light" tt="none" leftSection={<Icon size={14} aria-hidden />} miw="max-content">
      {t(`status.${status}`)}
    </Badge>
  );
}

/** Returns the status of a profile at a given time: `expiring` once it can be renewed. */
export function profileStatus(
  { revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string },
  at: Date,
): "active" | "expiring" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  const daysLeft = (new Date(expiresAt).getTime() - at.getTime()) / 86_400_000;
  return daysLeft <= 0 ? "expired" : daysLeft <= renewalDays ? "expiring" : "active";
}

export function userStatus(user: {
  blacklisted: boolean;
  locked: boolean;
  forgottenDate?: string;
}): "active" | "locked" | "offboarded" | "forgotten" {
  if (user.forgottenDate !== undefined) return "forgotten";
  return user.blacklisted ? "offboarded" : user.locked ? "locked" : "active";
}
