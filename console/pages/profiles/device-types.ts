import { deviceTypes, type DeviceType } from "../../../domain/device.ts";
import { useWords } from "../../texts/words.ts";

/** What people call a kind of device. */
export function useDeviceTypeName(): (deviceType: DeviceType) => string {
  const words = useWords();
  return (deviceType) => words.deviceTypes[deviceType].name;
}

export function useDeviceTypeChoices(): { value: DeviceType; label: string }[] {
  const nameOf = useDeviceTypeName();
  return deviceTypes.map((value) => ({ value, label: nameOf(value) }));
}
