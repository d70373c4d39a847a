import { deviceTypes, type DeviceType } from "../../../domain/device.ts";
import { profileNameLengthMax } from "../../../domain/profile.ts";
import { languages } from "../../../domain/words/language.ts";
import type { Texts } from "./texts/texts.ts";
import { selfServiceTexts } from "./texts/self-service-texts.ts";

/** What people call somebody: the first word of "Mia Keller", and of "Keller, Mia" the one after the comma. */
export function givenName(displayName: string | null): string | undefined {
  const [last = "", first] = (displayName ?? "").replace(/\p{Cc}/gu, " ").split(",", 2);
  return /\S+/.exec(first ?? last)?.[0];
}

/** What a person's device could be called. */
export function suggestedName(deviceType: DeviceType, displayName: string | null, texts: Texts): string {
  const device = texts.deviceTypes[deviceType].suggestedName;
  const person = givenName(displayName);
  const name = person === undefined ? device : texts.nameOf(device, person);
  return Array.from(name).length <= profileNameLengthMax ? name : device;
}

/** A name that was suggested for another kind of device becomes this one's; one that somebody gave stays. */
export function nameFor(deviceType: DeviceType, name: string, displayName: string | null): string {
  for (const language of languages) {
    const texts = selfServiceTexts(language);
    if (deviceTypes.some((other) => suggestedName(other, displayName, texts) === name))
      return suggestedName(deviceType, displayName, texts);
  }
  return name;
}
