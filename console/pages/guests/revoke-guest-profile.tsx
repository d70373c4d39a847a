import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { guestAccountKey, guestAccountsKey, guestProfilesKey, type GuestAccount } from "./guest-accounts.ts";

/** The button that revokes a guest's profile, for users with the right scope. */
export function RevokeGuestProfile({
  account,
  serial,
  deviceType,
}: {
  account: GuestAccount;
  serial: string;
  deviceType: string;
}) {
  const { t } = useTranslation();
  const revoke = useRevocation(account);
  return (
    <Allowed to="revokeGuest">
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        w="fit-content"
        aria-label={t("guests.revokeProfileNamed", { serial: tailOf(serial) })}
        onClick={() => {
          confirm({
            title: t("guests.revokeProfileTitle", { serial: tailOf(serial) }),
            children: t("guests.revokeProfileText", { device: deviceType }),
            confirmLabel: t("guests.revokeProfileNamed", { serial: tailOf(serial) }),
            onConfirm: (confirmTotal) => revoke(serial, confirmTotal),
          });
        }}
      >
        {t("guests.revoke")}
      </Button>
    </Allowed>
  );
}

/** Shortens a serial number to the digits that people compare. */
const tailOf = (serial: string): string => `…${serial.slice(-8)}`;

function useRevocation({ id }: GuestAccount) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return async (profileSerial: string, confirmTotal?: number) => {
    const body = confirmTotal === undefined ? {} : { confirmTotal };
    await dataOf(api.DELETE("/api/guest-profile/{profileSerial}", { params: { path: { profileSerial } }, body }));
    await queries.invalidateQueries({ queryKey: [guestProfilesKey(id)] });
    void queries.invalidateQueries({ queryKey: ["profile", profileSerial] });
    void queries.invalidateQueries({ queryKey: guestAccountKey(id) });
    void queries.invalidateQueries({ queryKey: [guestAccountsKey] });
    notifyDone(t("guests.profileRevoked", { serial: tailOf(profileSerial) }));
  };
}
