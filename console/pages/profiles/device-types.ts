import { useTranslation } from "react-i18next";
import type { Schemas } from "../../api/api-client.ts";

export type DeviceType = Schemas["Profile"]["deviceType"];

export const deviceTypes = [
  "iOS",
  "iPadOS",
  "MacOS",
  "Android",
  "Windows",
  "Linux",
  "ChromeOS",
  "Other",
] as const satisfies readonly DeviceType[];

/** What people call a kind of device. */
export function useDeviceTypeName(): (deviceType: DeviceType) => string {
  const { t } = useTranslation();
  return (deviceType) => t(`profiles.deviceTypes.${deviceType}`);
}

export function useDeviceTypeChoices(): { value: DeviceType; label: string }[] {
  const nameOf = useDeviceTypeName();
  return deviceTypes.map((value) => ({ value, label: nameOf(value) }));
}
