import { useTranslation } from "react-i18next";
import { DetailDrawer } from "../../ui/dialog/detail-drawer.tsx";
import { ActivityDetails } from "../../activity/activity-details.tsx";
import type { GuestAccount } from "./guest-accounts.ts";
import { RevokeGuestProfile } from "./revoke-guest-profile.tsx";

/** Shows the guest's profile that the address names, next to the account. */
export function GuestProfileDrawer({ account }: { account: GuestAccount }) {
  const { t } = useTranslation();
  return (
    <DetailDrawer title={t("profiles.details.title")}>
      {(serial) => (
        <ActivityDetails
          key={serial}
          serial={serial}
          actions={(activity) =>
            activity.state === "active" && <RevokeGuestProfile account={account} profile={activity} />
          }
        />
      )}
    </DetailDrawer>
  );
}
