import { deviceTypes, type DeviceType } from "../../../domain/certificate/device.ts";
import { useWords } from "../../texts/words.ts";

/** Returns a function that returns the display name of a device type. */
export function useDeviceTypeName(): (deviceType: DeviceType) => string {
  const words = useWords();
  return (deviceType) => words.deviceTypes[deviceType].name;
}

export function useDeviceTypeChoices(): { value: DeviceType; label: string }[] {
  const nameOf = useDeviceTypeName();
  return deviceTypes.map((value) => ({ value, label: nameOf(value) }));
}
