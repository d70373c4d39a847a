import { textsIn } from "../../../domain/words/language.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Texts } from "./texts.ts";

/** Returns the texts of the pages in a language. */
export const pageTexts = textsIn<Texts>({ en: english, de: german });
