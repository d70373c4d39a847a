import { textsIn } from "../../../domain/words/language.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Texts } from "./texts.ts";

/** All texts of pages, by language. */
export const pageTexts = textsIn<Texts>({ en: english, de: german });
