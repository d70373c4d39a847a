import { deviceTypes, type DeviceType } from "../../../../domain/certificate/device.ts";
import { profileNameLengthMax } from "../../../../domain/certificate/profile.ts";
import { languages } from "../../../../domain/words/language.ts";
import type { Texts } from "../texts/texts.ts";
import { selfServiceTexts } from "../texts/self-service-texts.ts";

/** Returns the given name: the first word of "Mia Keller", or the one after the comma of "Keller, Mia". */
export function givenName(displayName: string | null): string | undefined {
  const [last = "", first] = (displayName ?? "").replace(/\p{Cc}/gu, " ").split(",", 2);
  return /\S+/.exec(first ?? last)?.[0];
}

/** Returns a suggested name for a user's device. */
export function suggestedName(deviceType: DeviceType, displayName: string | null, texts: Texts): string {
  const device = texts.deviceTypes[deviceType].suggestedName;
  const person = givenName(displayName);
  const name = person === undefined ? device : texts.nameOf(device, person);
  return Array.from(name).length <= profileNameLengthMax ? name : device;
}

/** Adapts a name that was suggested for another kind of device; keeps one that the user typed. */
export function nameFor(deviceType: DeviceType, name: string, displayName: string | null): string {
  for (const language of languages) {
    const texts = selfServiceTexts(language);
    if (deviceTypes.some((other) => suggestedName(other, displayName, texts) === name))
      return suggestedName(deviceType, displayName, texts);
  }
  return name;
}
