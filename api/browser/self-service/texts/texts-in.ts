import type { Language } from "../../pages/language.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Texts } from "./texts.ts";

const texts: Readonly<Record<Language, Texts>> = { en: english, de: german };

/** Everything that the pages of self-service say, in one language. */
export const textsIn = (language: Language): Texts => texts[language];
