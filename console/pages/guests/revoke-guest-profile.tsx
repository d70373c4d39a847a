import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import { api, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { confirm } from "../../ui/dialog/confirm.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { useDeviceTypeName } from "../../ui/value/device-types.ts";
import { guestAccountKey, guestAccountsKey, guestProfilesKey, type GuestAccount } from "./guest-accounts.ts";

/** Shows the button that revokes a guest's profile, if the user has the scope. */
export function RevokeGuestProfile({
  account,
  profile: { serial, name, deviceType },
}: {
  account: GuestAccount;
  profile: { serial: string; name: string; deviceType: DeviceType | null };
}) {
  const { t } = useTranslation();
  const revoke = useRevocation(account);
  const deviceTypeName = useDeviceTypeName();
  const named = { name, serial: tailOf(serial) };
  return (
    <Allowed to="revokeGuest">
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        w="fit-content"
        aria-label={t("guests.revokeProfileNamed", named)}
        onClick={() => {
          confirm({
            title: t("guests.revokeProfileTitle", named),
            children: t("guests.revokeProfileText", { device: deviceTypeName(deviceType ?? "Other") }),
            confirmLabel: t("guests.revokeProfileNamed", named),
            async onConfirm(confirmTotal) {
              await revoke(serial, confirmTotal);
              notifyDone(t("guests.profileRevoked", named));
            },
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
  const queries = useQueryClient();
  return async (profileSerial: string, confirmTotal?: number) => {
    const body = confirmTotal === undefined ? {} : { confirmTotal };
    await dataOf(api.DELETE("/api/guest-profile/{profileSerial}", { params: { path: { profileSerial } }, body }));
    await queries.invalidateQueries({ queryKey: [guestProfilesKey(id)] });
    void queries.invalidateQueries({ queryKey: ["profile", profileSerial] });
    void queries.invalidateQueries({ queryKey: guestAccountKey(id) });
    void queries.invalidateQueries({ queryKey: [guestAccountsKey] });
  };
}
