import { deviceTypes, type DeviceType } from "../../../domain/certificate/device.ts";
import { profileNameLengthMax } from "../../../domain/certificate/profile.ts";
import { languages } from "../../../domain/words/language.ts";
import type { Vocabulary } from "../../../domain/words/vocabulary.ts";
import { wordsIn } from "../../../domain/words/words-in.ts";

/** Returns the given name: the first word of "Mia Keller", or the one after the comma of "Keller, Mia". */
export function givenName(displayName: string | null): string | undefined {
  const [last = "", first] = (displayName ?? "").replace(/\p{Cc}/gu, " ").split(",", 2);
  return /\S+/.exec(first ?? last)?.[0];
}

type Words = Pick<Vocabulary, "deviceTypes" | "nameOf">;

/** Returns a suggested name for a user's device, with its model if known. */
export function suggestedName(
  deviceType: DeviceType,
  displayName: string | null,
  words: Words,
  model = words.deviceTypes[deviceType].suggestedName,
): string {
  const person = givenName(displayName);
  const name = person === undefined ? model : words.nameOf(model, person);
  return Array.from(name).length <= profileNameLengthMax ? name : words.deviceTypes[deviceType].suggestedName;
}

/** Adapts a name that was suggested for another kind of device; keeps one that the user typed. */
export function nameFor(deviceType: DeviceType, name: string, displayName: string | null): string {
  for (const words of languages.map(wordsIn)) {
    if (deviceTypes.some((other) => suggestedName(other, displayName, words) === name))
      return suggestedName(deviceType, displayName, words);
  }
  return name;
}
